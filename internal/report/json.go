package report

import (
	"io"

	"ratelab/internal/result"
)

// WriteJSON writes doc as one indented JSON document and a newline.
func WriteJSON(w io.Writer, doc *Document) error { return result.Write(w, doc) }

// Read reads the file that WriteJSON wrote. It refuses, as a *result.BadFile, another document or schema version, and
// an unknown field.
func Read(path string) (*Document, error) {
	data, form, err := result.Read(path, result.Simulation)
	if err != nil {
		return nil, err
	}
	doc := new(Document)
	if err := result.Decode(path, data, form, doc); err != nil {
		return nil, err
	}
	return doc, nil
}
