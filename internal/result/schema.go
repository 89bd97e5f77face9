package result

import _ "embed"

// Schema is the JSON Schema (draft 2020-12) of a document.
//
//go:embed result.schema.json
var Schema []byte
