// Package resulttest checks documents against their schema.
package resulttest

import (
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"ratelab/internal/result"
)

// Validate returns the schema's error about a document, or nil.
func Validate(t *testing.T, text string) error {
	t.Helper()
	return ValidateBy(t, string(result.Schema), text)
}

// ValidateBy returns the error of another schema about a text, or nil.
func ValidateBy(t *testing.T, by, text string) error {
	t.Helper()
	parsed, err := jsonschema.UnmarshalJSON(strings.NewReader(by))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("schema.json", parsed); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(value)
}
