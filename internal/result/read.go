package result

import (
	"bufio"
	"bytes"
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

// Read reads a file that is one of these forms, or the first of their files that is in the folder, and says which it
// is. The error is a *BadFile.
func Read(path string, forms ...Form) ([]byte, Form, error) {
	data, form, bad := read(&path, forms)
	if bad != nil {
		bad.Path = path
		return nil, Form{}, bad
	}
	return data, form, nil
}

func read(path *string, forms []Form) ([]byte, Form, *BadFile) {
	*path = inFolder(*path, forms)
	want := wanted(forms)
	file, err := os.Open(*path)
	if err != nil {
		return nil, Form{}, unreadable(*path, want, err)
	}
	defer file.Close()
	in := bufio.NewReader(file)
	start, _ := in.Peek(64) // an error comes again with the rest
	if bad := checkStart(start, want); bad != nil {
		return nil, Form{}, bad
	}
	data, err := io.ReadAll(in)
	if err != nil {
		return nil, Form{}, unreadable(*path, want, err)
	}
	form, bad := Recognize(data, forms...)
	return data, form, bad
}

// Recognize says which of the forms data is. It goes from the coarse to the fine, because every finer complaint about a
// file of another form misleads.
func Recognize(data []byte, forms ...Form) (Form, *BadFile) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, data); err != nil {
		return Form{}, notJSON(data, forms[0])
	}
	form, bad := identify(compact.Bytes(), forms)
	if bad != nil {
		return Form{}, bad
	}
	if form.Sealed {
		if broken := sealBroken(compact.Bytes()); broken != "" {
			return Form{}, &BadFile{Problem: "it was edited or damaged: " + broken, Remedy: form.original()}
		}
	}
	return form, nil
}

// wanted is what the user is to name.
func wanted(forms []Form) string {
	var names []string
	for _, f := range forms {
		names = append(names, f.String())
	}
	return "want " + strings.Join(names, " or ")
}

// inFolder is the file that is meant by a folder: the first of the forms that is there.
func inFolder(path string, forms []Form) string {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return path
	}
	for _, f := range forms {
		if file := filepath.Join(path, f.File); exists(file) {
			return file
		}
	}
	return filepath.Join(path, forms[0].File)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
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

// identify tells which form a document is from the fields that every version of it has.
func identify(data []byte, forms []Form) (Form, *BadFile) {
	want := wanted(forms)
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return Form{}, &BadFile{Problem: "is none of our results", Remedy: want, Err: err}
	}
	at := slices.IndexFunc(Forms(), func(f Form) bool { return f.is(fields) })
	if at < 0 {
		return Form{}, &BadFile{Problem: stranger(fields), Remedy: want}
	}
	form := Forms()[at]
	switch {
	case !slices.ContainsFunc(forms, func(f Form) bool { return f.File == form.File }):
		return Form{}, &BadFile{Problem: "is " + form.String(), Remedy: want}
	case string(fields["schema_version"]) != strconv.Itoa(form.Version):
		return Form{}, otherVersion(string(fields["schema_version"]), form)
	}
	return form, nil
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
	if stated == "" {
		stated = "none"
	}
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

// Decode reads a document of the form into a pointer, and refuses fields that it does not have. The error is a *BadFile
// of path.
func Decode(path string, data []byte, form Form, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(into)
	if err == nil {
		return nil
	}
	bad := &BadFile{Path: path, Problem: strings.TrimPrefix(err.Error(), "json: "), Remedy: form.original(), Err: err}
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
