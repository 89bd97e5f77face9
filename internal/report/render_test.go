package report

import (
	"io"
	"strings"

	"ratelab/internal/result"
)

func render(write func(*strings.Builder) error) string {
	var out strings.Builder
	if err := write(&out); err != nil {
		panic(err)
	}
	return out.String()
}

// writeTable writes d for people.
func writeTable(w io.Writer, d *result.Document, t Terminal) error {
	return documentFormats.Write(w, TableFormat, d, t)
}

// writeMarkdown writes d as Markdown.
func writeMarkdown(w io.Writer, d *result.Document) error {
	return documentFormats.Write(w, "markdown", d, Terminal{})
}

// documentFormats are those of a document without any wish.
var documentFormats = Simulated{}.Formats()
