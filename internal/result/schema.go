package result

import (
	"embed"
	"strings"
)

//go:embed schemas/*.schema.json
var schemas embed.FS

// Schema is the JSON Schema (draft 2020-12) of a form.
func Schema(f Form) []byte {
	text, err := schemas.ReadFile("schemas/" + SchemaFile(f))
	if err != nil {
		panic(err) // a missing file is a mistake of this program, and a test looks for it
	}
	return text
}

// SchemaFile is the name of the file of a form's schema.
func SchemaFile(f Form) string { return strings.TrimSuffix(f.File, ".json") + ".schema.json" }
