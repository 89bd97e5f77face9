// Package page writes a document as one self-contained HTML page: the answer and the matrix first, then each scenario's
// answer, figures and charts. Charts show exact values by pointer or keyboard. The page needs no network, and can be
// read without its script. The same input gives the same bytes. The package reads no clock and chooses no file.
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

// Input is what a page shows.
type Input struct {
	Document   *result.Document
	Charts     []curves.Input         // of each run, in the order of the document; or none: a page without pictures
	Bench      *result.Document       // what bench run measured of the same scenarios; may be nil
	Also       report.Sheet           // parts that follow the overview
	Algorithms []algorithms.Algorithm // in the order in which to explain them
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

// Write writes the page. It returns the error of w, or what is wrong with the input.
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

// policy allows the page's own script and style sheet, and nothing else: injected markup could neither run nor call
// home. Source: W3C, Content Security Policy Level 3.
func policy(style, script string) string {
	return "default-src 'none'; img-src data:; style-src " + Source(style) + "; script-src " + Source(script) +
		"; base-uri 'none'; form-action 'none'"
}

// Source is the text in a content security policy: the one that is allowed.
func Source(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
