package script

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"go.yaml.in/yaml/v4"

	"ratelab/internal/atomicfile"
	"ratelab/internal/limit"
	"ratelab/internal/strictyaml"
)

// File is a user's script, with a function that reads it and its binding.
type File struct {
	Name string
	Read func(name string) ([]byte, error) // reads the script, its binding, or a script that the binding names
	Set  map[string]string                 // values of the binding's parameters; the label names them
}

// OnDisk returns the file with this name on this machine.
func OnDisk(name string) File { return File{Name: name, Read: readFile} }

// Files returns the files with these names on this machine.
func Files(names []string) []File {
	var all []File
	for _, name := range names {
		all = append(all, OnDisk(name))
	}
	return all
}

// OwnLimit returns the limit that is written into all scripts whose bindings state one. It is nil if no binding states
// a limit, or if two limits differ. Invalid bindings are skipped, because Load reports their errors.
func OwnLimit(files []File) (own *limit.Policy) {
	for _, f := range files {
		switch p, err := Load(f, limit.Policy{Requests: 1, Window: time.Second}); {
		case err != nil || p.Own == nil:
		case own != nil && *own != *p.Own:
			return nil
		default:
			own = p.Own
		}
	}
	return own
}

// Source reads only the Lua. The error is a strictyaml.Errors, and says why the file cannot be a script.
func (f File) Source() (string, error) {
	source, problems := f.lua(f.Name)
	if len(problems) > 0 {
		return "", problems
	}
	return source, nil
}

// lua reads Lua. It checks that the file is text and not empty. A server checks later whether the script compiles.
func (f File) lua(name string) (string, strictyaml.Errors) {
	data, err := f.Read(name)
	if err != nil {
		return "", strictyaml.Errors{{File: name, Message: err.Error()}}
	}
	text := strictyaml.File{Name: name}
	if !text.CheckText(data) {
		return "", text.Errors()
	}
	if tokens, wrong := lex(string(data)); len(tokens) == 0 && wrong == nil {
		return "", strictyaml.Errors{{File: name, Message: "the script is empty; want Lua that decides one request"}}
	}
	return string(data), nil
}

// readFile returns the contents of a regular file. It reads no more than necessary to see that a file is too large.
func readFile(file string) ([]byte, error) {
	data, err := atomicfile.Read(file, strictyaml.MaxBytes)
	if errors.Is(err, fs.ErrInvalid) {
		err = fmt.Errorf("%w; want a file of text", err)
	}
	return data, err
}

// outline reads the top-level fields of a YAML file. It returns nil if the file has no fields.
func outline(file string) (fields map[string]any) {
	data, err := readFile(file)
	if err != nil || yaml.Unmarshal(data, &fields) != nil {
		return nil
	}
	return fields
}

// IsBinding reports whether a YAML file looks like a binding, and not like a scenario.
func IsBinding(file string) bool {
	fields := outline(file)
	return fields["admitted"] != nil && fields["phases"] == nil
}

// IsInit reports whether a binding in the folder names this script as its init script.
func IsInit(dir, name string) bool {
	files, _ := filepath.Glob(filepath.Join(dir, "*.yaml")) // the pattern is valid
	for _, file := range files {
		if init, _ := outline(file)["init"].(map[string]any); init["script"] == name {
			return true
		}
	}
	return false
}
