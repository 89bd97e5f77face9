package regress

import (
	_ "embed"
	"io"
	"slices"

	"ratelab/internal/result"
)

//go:embed comparison.schema.json
var schema []byte

// Schema returns the JSON Schema (draft 2020-12) of the document that WriteJSON writes.
func Schema() []byte { return slices.Clone(schema) }

// WriteJSON writes the comparison as one indented JSON document and a newline.
func WriteJSON(w io.Writer, r *Report) error { return result.Write(w, r) }
