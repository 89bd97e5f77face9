// Package resulttest holds documents against their schemas.
package resulttest

import (
	"bytes"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"ratelab/internal/result"
)

// Validate is what the schema of the form says of a document.
func Validate(t *testing.T, form result.Form, text string) error {
	t.Helper()
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(result.Schema(form)))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource(form.File, parsed); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile(form.File)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(value)
}
