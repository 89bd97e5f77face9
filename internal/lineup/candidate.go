package lineup

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/scenario"
	"ratelab/internal/script"
)

// Candidate is a script, or a built-in algorithm, that is to be compared with another one, under whatever limit.
type Candidate struct {
	Name string // as it was asked for

	choice *algorithms.Choice // as which algorithm it is called; nil where the binding of a script says how
	bound  string             // that script, a file
	file   string             // of the source, where that is another than the algorithm's or the bound script's
	source string
}

// IsScript reports whether a name is that of a file of Lua.
func IsScript(name string) bool { return strings.EqualFold(filepath.Ext(name), ".lua") }

// IsAlgorithm reports whether a label is that of a built-in algorithm, whatever its parameters.
func IsAlgorithm(label string) bool {
	name, _, _ := strings.Cut(label, ":")
	return slices.Contains(algorithms.Names(), name)
}

// AlgorithmCandidate is a built-in algorithm.
func AlgorithmCandidate(label string) (*Candidate, error) {
	choice, err := algorithms.Parse(label)
	if err != nil {
		return nil, err
	}
	return &Candidate{Name: label, choice: &choice}, nil
}

// ScriptCandidate is a file of Lua. It is called as its binding says, FILE.yaml beside it; or as the built-in algorithm
// of the label as is, where that is not empty; or, without either, as the algorithm is that has the file's name.
func ScriptCandidate(file, as string) (*Candidate, error) {
	stem := strings.TrimSuffix(file, filepath.Ext(file))
	_, err := os.Stat(stem + ".yaml")
	if as == "" && errors.Is(err, fs.ErrNotExist) && IsAlgorithm(filepath.Base(stem)) {
		as = filepath.Base(stem)
	}
	if as == "" {
		return &Candidate{Name: file, bound: file}, nil
	}
	choice, err := algorithms.Parse(as)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", message.Path(file), err)
	}
	return (&Candidate{choice: &choice}).from(file)
}

// from is the candidate with another source.
func (c *Candidate) from(file string) (*Candidate, error) {
	source, err := script.ReadSource(file)
	if err != nil {
		return nil, err
	}
	return &Candidate{Name: file, choice: c.choice, bound: c.bound, file: file, source: source}, nil
}

// Choice is the built-in algorithm as which it is called; nil where a binding says how.
func (c *Candidate) Choice() *algorithms.Choice { return c.choice }

// Release is the candidate as another folder has it, called in the same way.
func (c *Candidate) Release(folder string) (*Candidate, error) {
	names := c.files()
	for _, name := range names {
		file := filepath.Join(folder, name)
		if _, err := os.Stat(file); err == nil {
			return c.from(file)
		}
	}
	return nil, fmt.Errorf("%s: there is no %s in it; name the folder with the scripts of a release",
		message.Path(folder), strings.Join(names, ", and no "))
}

// files are the names under which a release has the script, the likeliest first.
func (c *Candidate) files() []string {
	var names []string
	if c.choice != nil {
		names = append(names, c.choice.Spec.Name+".lua")
	}
	for _, file := range []string{c.file, c.bound} {
		if own := filepath.Base(file); file != "" && !slices.Contains(names, own) {
			names = append(names, own)
		}
	}
	return names
}

// Under is the candidate under a limit, with its default parameters.
func (c *Candidate) Under(p limit.Policy) (*Entry, error) {
	if c.choice == nil {
		return c.withBinding(p)
	}
	return c.asAlgorithm(c.choice.AtTheLimit(), p)
}

// In is the candidate as it meets a scenario: under its limit, with its parameters.
func (c *Candidate) In(s *scenario.Scenario) (*Entry, error) {
	if c.choice == nil {
		return c.withBinding(s.Limit)
	}
	choice, err := c.choice.WithDefaults(s.Parameters[c.choice.Spec.Name])
	if err != nil {
		return nil, err
	}
	return c.asAlgorithm(choice, s.Limit)
}

// asAlgorithm is the candidate called as a built-in algorithm is. Of another source than its own the model says
// nothing.
func (c *Candidate) asAlgorithm(choice algorithms.Choice, p limit.Policy) (*Entry, error) {
	e, err := Builtin(choice, p)
	if err != nil {
		return nil, fmt.Errorf("%w (under the limit %v)", err, p)
	}
	if c.file != "" {
		e.Program = c.sourced(e.Program)
		e.File, e.NewModel, e.MostAdmitted = c.file, nil, nil
	}
	return e, nil
}

// withBinding is a script called as a binding says. Unlike Own it lets the keys be, so that those of two candidates are
// of one length: nothing else decides in the same keyspace.
func (c *Candidate) withBinding(p limit.Policy) (*Entry, error) {
	program, err := script.Load(c.bound, p)
	if err != nil {
		return nil, err
	}
	if c.file != "" {
		program = c.sourced(program)
	}
	return &Entry{Label: program.Label, Parameters: map[string]string{}, Program: program,
		File: cmp.Or(c.file, c.bound), Policy: p}, nil
}

// sourced is a program with the candidate's source.
func (c *Candidate) sourced(program *script.Program) *script.Program {
	mine := *program
	if mine.Init != nil && mine.InitSource == mine.Source {
		mine.InitSource = c.source
	}
	mine.Source, mine.Foreign = c.source, true
	return &mine
}
