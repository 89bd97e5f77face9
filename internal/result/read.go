package result

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ratelab/internal/message"
)

// ReadDocument reads a result.json, or the one in a folder. It refuses, as a *BadFile, another document or schema
// version, and an unknown field.
func ReadDocument(path string) (*Document, error) {
	doc := new(Document)
	if err := Read(path, Simulation, doc); err != nil {
		return nil, err
	}
	return doc, nil
}

// ReadBenchmark reads a bench.json, or the one in a folder. It refuses, as a *BadFile, what is another document or
// schema version, was cut short or edited, or has unknown fields.
func ReadBenchmark(path string) (*Benchmark, error) {
	var doc struct {
		Benchmark
		Seal
	}
	if err := Read(path, Bench, &doc); err != nil {
		return nil, err
	}
	return &doc.Benchmark, nil
}

// Read reads a file of the form, or the one in a folder, into a pointer. The error is a *BadFile.
func Read(path string, form Form, into any) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, form.File)
	}
	if bad := read(path, form, into); bad != nil {
		bad.Path = path
		return bad
	}
	return nil
}

func read(path string, form Form, into any) *BadFile {
	want := "want " + form.String()
	file, err := os.Open(path)
	if err != nil {
		return unreadable(path, want, err)
	}
	defer file.Close()
	in := bufio.NewReader(file)
	start, _ := in.Peek(64) // an error comes again with the rest
	if bad := checkStart(start, want); bad != nil {
		return bad
	}
	data, err := io.ReadAll(in)
	if err != nil {
		return unreadable(path, want, err)
	}
	if bad := recognize(data, form); bad != nil {
		return bad
	}
	return decode(data, form, into)
}

// checkStart sees at once that a file of many GB, such as a list of decisions, is none of ours.
func checkStart(start []byte, want string) *BadFile {
	start = bytes.TrimLeft(start, " \t\r\n")
	switch {
	case len(start) == 0:
		return &BadFile{Problem: "is empty", Remedy: want}
	case start[0] != '{':
		return &BadFile{Problem: "is not a JSON document", Remedy: want}
	}
	return nil
}

// recognize says why data is not of the form. It goes from the coarse to the fine, because every finer complaint about
// a file of another form misleads.
func recognize(data []byte, form Form) *BadFile {
	var compact bytes.Buffer
	if err := json.Compact(&compact, data); err != nil {
		return notJSON(data, form)
	}
	if bad := identify(compact.Bytes(), form); bad != nil || !form.Sealed {
		return bad
	}
	if broken := sealBroken(compact.Bytes()); broken != "" {
		return &BadFile{Problem: "it was edited or damaged: " + broken, Remedy: form.original()}
	}
	return nil
}

// identify says why a document is not of the form, by the fields that every version of it has.
func identify(data []byte, form Form) *BadFile {
	want := "want " + form.String()
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return &BadFile{Problem: "is none of our results", Remedy: want, Err: err}
	}
	stated := string(fields["schema_version"])
	switch at := slices.IndexFunc(Forms(), func(f Form) bool { return f.is(fields) }); {
	case at < 0:
		return &BadFile{Problem: stranger(fields), Remedy: want}
	case Forms()[at] != form:
		return &BadFile{Problem: "is " + Forms()[at].String(), Remedy: want}
	case stated != strconv.Itoa(form.Version):
		return otherVersion(cmp.Or(stated, "none"), form)
	}
	return nil
}

// is reports whether a document with these fields is of the form.
func (f Form) is(fields map[string]json.RawMessage) bool {
	if f.Kind != "" {
		return string(fields["kind"]) == strconv.Quote(f.Kind)
	}
	var tool struct{ Name string }
	_, hasField := fields[f.Field]
	return fields["kind"] == nil && hasField && json.Unmarshal(fields["tool"], &tool) == nil && tool.Name == f.program()
}

func stranger(fields map[string]json.RawMessage) string {
	var kind string
	if json.Unmarshal(fields["kind"], &kind) == nil {
		return "is of kind " + message.Quote(kind)
	}
	return "is none of our results"
}

func otherVersion(stated string, form Form) *BadFile {
	bad := &BadFile{Problem: fmt.Sprintf("is %s with schema_version %s, where this program reads %d", form,
		message.Bare(stated), form.Version)}
	switch version, err := strconv.Atoi(stated); {
	case err != nil:
		bad.Remedy = form.original()
	case version > form.Version:
		bad.Remedy = "use the version of " + form.program() + " that wrote it, or a newer one"
	default:
		bad.Remedy = form.Again + ", or use the version of " + form.program() + " that wrote it"
	}
	return bad
}

// decode refuses fields that the document does not have.
func decode(data []byte, form Form, into any) *BadFile {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(into)
	if err == nil {
		return nil
	}
	bad := &BadFile{Problem: strings.TrimPrefix(err.Error(), "json: "), Remedy: form.original(), Err: err}
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		bad.At = position(data, wrong.Offset)
		bad.Problem = fmt.Sprintf("%s is a %s", message.Bare(wrong.Field), wrong.Value)
	}
	return bad
}

// notJSON asks again for what is wrong: Compact does not say where.
func notJSON(data []byte, form Form) *BadFile {
	err := json.Unmarshal(data, new(json.RawMessage))
	bad := &BadFile{Problem: "broken JSON: " + err.Error(), Remedy: form.original(), Err: err}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		bad.At = position(data, syntax.Offset-1)
		if strings.Contains(syntax.Error(), "unexpected end") {
			bad.At = position(data, int64(len(data)))
			bad.Problem = "it was cut short: the JSON ends too early"
		}
	}
	return bad
}
