package scenario

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"ratelab/internal/message"
	"ratelab/internal/strictyaml"
	"ratelab/scenarios"
)

// Schema is the JSON Schema (draft 2020-12) of a scenario file, for editors. It says less than Parse checks.
func Schema() []byte { return append([]byte(nil), scenarios.Schema...) }

// Names are the names of the built-in scenarios, sorted.
func Names() []string {
	entries, err := scenarios.Files.ReadDir(".")
	if err != nil {
		panic(err) // the embedded files are part of the program
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = baseName(e.Name())
	}
	return names
}

// Builtin reads the built-in scenarios, ordered by name.
func Builtin() ([]*Scenario, error) {
	var all []*Scenario
	for _, name := range Names() {
		s, err := builtin(name)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

func builtin(name string) (*Scenario, error) {
	return Parse(name+".yaml", Source(name))
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
	for _, n := range names {
		if n == nameOrPath {
			return builtin(n)
		}
	}
	return nil, fmt.Errorf("scenario %s: no such scenario%s (simulate list has all of them; a file is a path with a "+
		"slash or .yaml)", message.Quote(nameOrPath), message.DidYouMean(nameOrPath, names))
}

func loadFile(file string) (*Scenario, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fileError(file, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s: this is a folder; want a scenario file", message.Path(file))
	}
	data, err := io.ReadAll(io.LimitReader(f, strictyaml.MaxBytes+1))
	if err != nil {
		return nil, fileError(file, err)
	}
	return Parse(file, data)
}

func fileError(file string, err error) error {
	err = message.Unreadable(err)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w; want a scenario file", err)
	}
	return fmt.Errorf("%s: %w", message.Path(file), err)
}
