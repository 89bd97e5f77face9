package report

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

//go:embed result.schema.json
var resultSchema []byte

// ResultSchema returns the JSON Schema (draft 2020-12) of the document that WriteJSON writes.
func ResultSchema() []byte { return slices.Clone(resultSchema) }

// WriteJSON writes doc as one indented JSON document and a newline. Lists and maps without members are
// written as such, never as null, so that a reader need not tell the two apart. It fails on a NaN or an
// infinity, which JSON cannot express.
func WriteJSON(w io.Writer, doc *Document) error {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(withoutNulls(*doc)); err != nil {
		return fmt.Errorf("result document: %w", err)
	}
	_, err := w.Write(out.Bytes())
	return err
}

func withoutNulls(doc Document) Document {
	doc.Runs = append([]Run{}, doc.Runs...)
	for i := range doc.Runs {
		run := &doc.Runs[i]
		run.Results = append([]Row{}, run.Results...)
		run.Expectations = append([]Expectation{}, run.Expectations...)
		run.Notes = append([]string{}, run.Notes...)
		for j := range run.Results {
			if run.Results[j].Parameters == nil {
				run.Results[j].Parameters = map[string]string{}
			}
		}
	}
	return doc
}

// ReadJSON reads what WriteJSON wrote. It refuses another schema version, an unknown field, and anything
// after the document; the error is one line and says which.
func ReadJSON(r io.Reader) (*Document, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("result document: %w", err)
	}
	if err := checkVersion(data); err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	doc := new(Document)
	if err := decoder.Decode(doc); err != nil {
		return nil, fmt.Errorf("result document: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("result document: something follows its end; want one document")
	}
	return doc, nil
}

// checkVersion comes first, because every other complaint about a document of another version misleads.
func checkVersion(data []byte) error {
	var head struct {
		SchemaVersion *json.Number `json:"schema_version"`
	}
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(&head); err != nil {
		return fmt.Errorf("result document: %w", err)
	}
	if head.SchemaVersion == nil {
		return fmt.Errorf("result document: schema_version is missing; want %d", SchemaVersion)
	}
	if head.SchemaVersion.String() != fmt.Sprint(SchemaVersion) {
		return fmt.Errorf("result document: schema_version %s; this program reads version %d: "+
			"make the file again with it", head.SchemaVersion, SchemaVersion)
	}
	return nil
}
