package regress

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

//go:embed comparison.schema.json
var schema []byte

// Schema returns the JSON Schema (draft 2020-12) of the document that WriteJSON writes.
func Schema() []byte { return slices.Clone(schema) }

// WriteJSON writes the comparison as one indented JSON document and a newline.
func WriteJSON(w io.Writer, r *Report) error {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(r); err != nil {
		return fmt.Errorf("comparison: %w", err)
	}
	_, err := w.Write(out.Bytes())
	return err
}
