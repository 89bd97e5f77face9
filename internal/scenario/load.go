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

// Names returns the names of the built-in scenarios, sorted.
func Names() []string {
	files, err := fs.Glob(scenarios.Files, "*.yaml")
	if err != nil {
		panic(err) // cannot fail: the pattern is valid
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

// Source returns the file of a built-in scenario. The name must be one of Names.
func Source(name string) []byte {
	data, err := scenarios.Files.ReadFile(name + ".yaml")
	if err != nil {
		panic(err) // cannot fail: the files are part of the program
	}
	return data
}

// Load returns a built-in scenario by its name, or reads a file. A path of a file has a slash or ends in .yaml or .yml.
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

// reader reads one file, and collects the problems.
type reader struct{ strictyaml.File }

// at returns the place of a value: file:line:column.
func (r *reader) at(v strictyaml.Value) string {
	return fmt.Sprintf("%s:%d:%d", r.Name, v.Node.Line, v.Node.Column)
}

// Parse reads a scenario from data. file is its path, which is not opened. It is used in messages, as the default name,
// and as the base of a trace's relative path. The error is a strictyaml.Errors with all problems.
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
