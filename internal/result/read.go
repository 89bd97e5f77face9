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
	"reflect"
	"strconv"
	"strings"

	"ratelab/internal/atomicfile"
	"ratelab/internal/message"
)

// files are the names of the documents in a folder, by command.
var files = map[Command]string{OfSimulate: "result.json", OfBench: "bench.json"}

// File returns the name of the command's document in a folder.
func (c Command) File() string { return files[c] }

// program returns the name of the command's program.
func (c Command) program() string {
	name, _, _ := strings.Cut(string(c), " ")
	return name
}

// want returns the remedy for a file of another kind: want a bench.json of bench run.
func (c Command) want() string { return "want a " + c.File() + " of " + string(c) }

// original returns the remedy for a file that was changed after it was written.
func (c Command) original() string {
	return "use the file as " + c.program() + " wrote it, or make a new one with " + string(c)
}

// Read reads a document of the command from a file, or from its default file in a folder. The error is a *BadFile. Read
// refuses documents of other commands or versions, incomplete ones, and unknown fields.
func Read(path string, of Command) (*Document, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, of.File())
	}
	doc := new(Document)
	data, bad := load(path, of)
	if bad == nil {
		bad = identify(data, of)
	}
	if bad == nil {
		bad = decode(data, of, doc)
	}
	if bad == nil {
		bad = impossible(doc, of)
	}
	if bad != nil {
		bad.Path = path
		return nil, bad
	}
	return doc, nil
}

// load reads the file. It checks the first bytes first, so that it refuses a file of many GB, such as a list of
// decisions, without reading it.
func load(path string, of Command) ([]byte, *BadFile) {
	file, err := atomicfile.Open(path)
	if err != nil {
		return nil, unreadable(path, of.want(), err)
	}
	defer file.Close()
	in := bufio.NewReader(file)
	start, _ := in.Peek(64) // ReadAll returns the same error
	start = bytes.TrimLeft(start, " \t\r\n")
	switch {
	case len(start) == 0:
		return nil, &BadFile{Problem: "is empty", Remedy: of.want()}
	case start[0] != '{':
		return nil, &BadFile{Problem: "is not a JSON document", Remedy: of.want()}
	}
	data, err := io.ReadAll(in)
	if err != nil {
		return nil, unreadable(path, of.want(), err)
	}
	return data, nil
}

// formerKinds maps the field kind of documents before version 3 to the command. simulate's documents had no kind.
var formerKinds = map[string]Command{"": OfSimulate, "bench": OfBench, "usage": OfLimits}

// identify returns an error if data is not a document of the command. It looks only at fields that all versions have,
// because a detailed error about a document of another version would mislead.
func identify(data []byte, of Command) *BadFile {
	var head struct {
		Version json.RawMessage `json:"schema_version"`
		Command Command         `json:"command"`
		Kind    string          `json:"kind"`
		Tool    Tool            `json:"tool"`
	}
	err := json.Unmarshal(data, &head)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return notJSON(data, of, syntax)
	}
	by := cmp.Or(head.Command, formerKinds[head.Kind])
	version, wrong := strconv.Atoi(string(head.Version))
	switch {
	case err != nil || head.Tool.Name == "" || head.Tool.Name != by.program():
		return &BadFile{Problem: "is not a result of simulate or bench", Remedy: of.want(), Err: err}
	case by != of:
		return &BadFile{Problem: "was written by " + message.Bare(string(by)), Remedy: of.want()}
	case wrong == nil && version == Version:
		return nil
	}
	bad := &BadFile{Problem: fmt.Sprintf("was written by %s with schema_version %s, but this program reads %d", by,
		message.Bare(cmp.Or(string(head.Version), "none")), Version)}
	switch {
	case wrong != nil:
		bad.Remedy = of.original()
	case version > Version:
		bad.Remedy = "use the version of " + of.program() + " that wrote it, or a newer one"
	default:
		bad.Old = true
		bad.Remedy = "make a new one with " + string(of) + ", or use the version of " + of.program() + " that wrote it"
	}
	return bad
}

// decode refuses unknown fields, and a document without its main part.
func decode(data []byte, of Command, doc *Document) *BadFile {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(doc)
	switch {
	case err == nil && of == OfBench && doc.Measurement == nil:
		return &BadFile{Problem: "it has no measurement", Remedy: of.original()}
	case err == nil && of != OfBench && doc.Runs == nil:
		return &BadFile{Problem: "it has no runs", Remedy: of.original()}
	case err == nil:
		return nil
	}
	bad := &BadFile{Problem: strings.TrimPrefix(err.Error(), "json: "), Remedy: of.original(), Err: err}
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		bad.At = position(data, wrong.Offset)
		bad.Problem = fmt.Sprintf("%s is a %s", message.Bare(wrong.Field), wrong.Value)
	}
	return bad
}

// impossible returns an error for figures that no run can have: negative or contradicting each other.
func impossible(doc *Document, of Command) *BadFile {
	for _, run := range doc.Runs {
		for _, row := range run.Results {
			problem := negative(reflect.ValueOf(row.Figures), "")
			if err := row.Check(); problem == "" && err != nil {
				problem = err.Error()
			}
			if problem != "" {
				return &BadFile{Problem: fmt.Sprintf("scenario %s, row %s: %s", message.Quote(run.Scenario),
					message.Quote(row.Algorithm), message.Bare(problem)), Remedy: of.original()}
			}
		}
	}
	return nil
}

// negative returns the name and value of the first negative number among the figures, or "".
func negative(figures reflect.Value, name string) string {
	switch {
	case figures.Kind() == reflect.Pointer && !figures.IsNil():
		return negative(figures.Elem(), name)
	case figures.CanInt() && figures.Int() < 0, figures.CanFloat() && figures.Float() < 0:
		return fmt.Sprintf("%s is %v", name, figures)
	case figures.Kind() == reflect.Slice:
		for i := range figures.Len() {
			if problem := negative(figures.Index(i), fmt.Sprintf("%s[%d]", name, i)); problem != "" {
				return problem
			}
		}
	case figures.Kind() == reflect.Struct:
		for field, value := range figures.Fields() {
			inner, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if problem := negative(value, strings.Trim(name+"."+inner, ".")); problem != "" {
				return problem
			}
		}
	}
	return ""
}

// notJSON returns an error with the place where the document stops being JSON.
func notJSON(data []byte, of Command, err *json.SyntaxError) *BadFile {
	if strings.Contains(err.Error(), "unexpected end") {
		return &BadFile{At: position(data, int64(len(data))), Problem: "it was cut short: the JSON ends too early",
			Remedy: of.original(), Err: err}
	}
	return &BadFile{At: position(data, err.Offset-1), Problem: "broken JSON: " + err.Error(), Remedy: of.original(),
		Err: err}
}
