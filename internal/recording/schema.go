package recording

import (
	_ "embed"
	"slices"
)

//go:embed bench.schema.json
var schema []byte

// Schema returns the JSON Schema (draft 2020-12) of both documents: WriteJSON's and WritePaired's.
func Schema() []byte { return slices.Clone(schema) }
