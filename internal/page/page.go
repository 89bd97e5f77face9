// Package page writes a document as one self-contained HTML page. The answer and the matrix come first, then each
// scenario's answer, figures and charts. Charts show exact values by pointer or keyboard. The page needs no network,
// and is readable without its script. The same input gives the same bytes. The package reads no clock and chooses no
// file.
package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io"
	"strings"

	"ratelab/algorithms"
	"ratelab/internal/curves"
	"ratelab/internal/message"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// Input has the content of a page.
type Input struct {
	Document   *result.Document
	Charts     []curves.Input         // of each run, in the order of the document; empty: a page without pictures
	Bench      *result.Document       // bench run's document for the same scenarios; may be nil
	Also       report.Sheet           // parts after the overview
	Algorithms []algorithms.Algorithm // the algorithms to explain, in this order
	Command    string                 // the command that makes the same figures again; may be empty
}

//go:embed page.html
var pageHTML string

// Palette is the style sheet of the colours, light and dark, and of the fonts.
//
//go:embed palette.css
var Palette string

//go:embed page.css
var pageCSS string

//go:embed page.js
var pageJS string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"shown": message.Visible, "soft": report.Soft,
	"link": func(s string) bool { return strings.HasPrefix(s, "https://") },
}).Parse(pageHTML))

// Write writes the page. It returns the error of w, or an error about the input.
func Write(w io.Writer, in Input) error {
	if in.Document == nil {
		return errors.New("web page: no document")
	}
	if n := len(in.Charts); n > 0 && n != len(in.Document.Runs) {
		return fmt.Errorf("web page: %d charts for %d runs", n, len(in.Document.Runs))
	}
	var out bytes.Buffer
	if err := pageTemplate.Execute(&out, newPage(in)); err != nil {
		return fmt.Errorf("web page: %w", err)
	}
	_, err := w.Write(out.Bytes())
	return err
}

// policy allows only the page's own script and style sheet, so that injected markup cannot run scripts or connect to a
// server. Source: W3C, Content Security Policy Level 3.
func policy(style, script string) string {
	return "default-src 'none'; img-src data:; style-src " + Source(style) + "; script-src " + Source(script) +
		"; base-uri 'none'; form-action 'none'"
}

// Source returns the source expression in a content security policy that allows this text.
func Source(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
