package scenario

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"ratelab/internal/atomicfile"
	"ratelab/internal/message"
	"ratelab/internal/strictyaml"
	"ratelab/scenarios"
)

// Names are the names of the built-in scenarios, sorted.
func Names() []string {
	files, err := fs.Glob(scenarios.Files, "*.yaml")
	if err != nil {
		panic(err) // the pattern is a good one
	}
	for i, file := range files {
		files[i] = baseName(file)
	}
	return files
}

// Builtin reads the built-in scenarios, ordered by name.
func Builtin() ([]*Scenario, error) {
	var all []*Scenario
	for _, name := range Names() {
		s, err := Load(name)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// Source is the file of a built-in scenario, one of Names.
func Source(name string) []byte {
	data, err := scenarios.Files.ReadFile(name + ".yaml")
	if err != nil {
		panic(err) // the embedded files are part of the program
	}
	return data
}

// Load finds a scenario: a built-in one by its name, or a file by its path, which has a slash or ends in .yaml or
// .yml.
func Load(nameOrPath string) (*Scenario, error) {
	if strings.ContainsAny(nameOrPath, `/\`) || strings.HasSuffix(nameOrPath, ".yaml") ||
		strings.HasSuffix(nameOrPath, ".yml") {
		return loadFile(nameOrPath)
	}
	names := Names()
	if slices.Contains(names, nameOrPath) {
		return Parse(nameOrPath+".yaml", Source(nameOrPath))
	}
	return nil, fmt.Errorf("scenario %s: no such scenario%s (simulate list has all of them; a file is a path with a "+
		"slash or .yaml)", message.Quote(nameOrPath), message.DidYouMean(nameOrPath, names))
}

func loadFile(file string) (*Scenario, error) {
	data, err := atomicfile.Read(file, strictyaml.MaxBytes)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
			err = fmt.Errorf("%w; want a scenario file", err)
		}
		return nil, fmt.Errorf("%s: %w", message.Path(file), err)
	}
	s, err := Parse(file, data)
	if err == nil && !s.NamesStart {
		s.keepClock()
	}
	return s, err
}

// reader reads one file, which collects the problems.
type reader struct{ strictyaml.File }

// at is a value's place: file:line:column.
func (r *reader) at(v strictyaml.Value) string {
	return fmt.Sprintf("%s:%d:%d", r.Name, v.Node.Line, v.Node.Column)
}

// Parse reads a scenario. file is its path, for messages, for the name it must bear and for the folder that a
// trace's name is relative to; it is not opened. The error is a strictyaml.Errors with everything that is wrong.
func Parse(file string, data []byte) (*Scenario, error) {
	r := &reader{strictyaml.File{
		Name: file, Wants: "a scenario with name, question, limit and phases", Remedy: "want a mapping of fields",
	}}
	var s *Scenario
	if root, ok := r.Root(data); ok {
		s = r.scenario(root)
	}
	if problems := r.Errors(); len(problems) > 0 {
		return nil, problems
	}
	sum := sha256.Sum256(data)
	s.SHA256 = hex.EncodeToString(sum[:])
	return s, nil
}
