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

// File is a user's script, with its binding beside it.
type File struct {
	Name string
	Read func(name string) ([]byte, error) // the script, its binding, or a script that the binding names
}

// OnDisk is the file of that name on this machine.
func OnDisk(name string) File { return File{name, readFile} }

// Files are those of the names on this machine.
func Files(names []string) []File {
	var all []File
	for _, name := range names {
		all = append(all, OnDisk(name))
	}
	return all
}

// OwnLimit is the limit that is written into all scripts whose bindings state one. It is nil where none does or two
// differ. What is wrong with a binding is for Load to say.
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

// Source reads the Lua alone; the error, a strictyaml.Errors, says why it can be none.
func (f File) Source() (string, error) {
	source, problems := f.lua(f.Name)
	if len(problems) > 0 {
		return "", problems
	}
	return source, nil
}

// lua reads Lua, which it checks for being text at all: whether it compiles is for a server to say.
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

// readFile gives a regular file's contents, of which it reads no more than is needed to see that they are too long.
func readFile(file string) ([]byte, error) {
	data, err := atomicfile.Read(file, strictyaml.MaxBytes)
	if errors.Is(err, fs.ErrInvalid) {
		err = fmt.Errorf("%w; want a file of text", err)
	}
	return data, err
}

// outline reads the top-level fields of a YAML file, nil where it has none.
func outline(file string) (fields map[string]any) {
	data, err := readFile(file)
	if err != nil || yaml.Unmarshal(data, &fields) != nil {
		return nil
	}
	return fields
}

// IsBinding reports whether a YAML file looks like the binding of some script, and not like a scenario.
func IsBinding(file string) bool {
	fields := outline(file)
	return fields["admitted"] != nil && fields["phases"] == nil
}

// IsInit reports whether a script is one that a binding in its folder calls once for each key.
func IsInit(dir, name string) bool {
	files, _ := filepath.Glob(filepath.Join(dir, "*.yaml")) // the pattern is a good one
	for _, file := range files {
		if init, _ := outline(file)["init"].(map[string]any); init["script"] == name {
			return true
		}
	}
	return false
}
