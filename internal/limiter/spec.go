package limiter

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/script"
)

// Spec is an algorithm with parameters, or a user's script, before its limit is known.
type Spec struct {
	Name   string             // as the user wrote it
	Choice *algorithms.Choice // the algorithm as which the limiter is called; nil: the binding says how

	file   *script.File // nil: the algorithm's own
	source string       // of a script that is called as an algorithm
}

// IsScript reports whether a name is that of a Lua file.
func IsScript(name string) bool { return strings.EqualFold(filepath.Ext(name), ".lua") }

// IsAlgorithm reports whether a label is that of a built-in algorithm, with any parameters.
func IsAlgorithm(label string) bool {
	name, _, _ := strings.Cut(label, ":")
	return slices.Contains(algorithms.Names(), name)
}

// SpecOf returns the Spec of a built-in algorithm or of a Lua file. A file is called as its binding FILE.yaml says, as
// the algorithm with the label as, or by default as the algorithm that has the file's name.
func SpecOf(f script.File, as string) (*Spec, error) {
	s := &Spec{Name: f.Name}
	if IsScript(f.Name) {
		s.file = &f
		stem := strings.TrimSuffix(f.Name, filepath.Ext(f.Name))
		_, err := f.Read(stem + ".yaml")
		if as == "" && errors.Is(err, fs.ErrNotExist) && IsAlgorithm(filepath.Base(stem)) {
			as = filepath.Base(stem)
		}
		if as == "" {
			return s, nil
		}
		if s.source, err = f.Source(); err != nil {
			return nil, err
		}
	} else {
		as = f.Name
	}
	choice, err := algorithms.Parse(as)
	if err != nil && s.file != nil {
		err = fmt.Errorf("%s: %w", message.Path(f.Name), err)
	}
	s.Choice = &choice
	return s, err
}

// OfChoice returns the Spec of an algorithm with parameters.
func OfChoice(c algorithms.Choice) *Spec { return &Spec{Name: c.Label, Choice: &c} }

// OfFile returns the Spec of a user's script that has a binding.
func OfFile(f script.File) *Spec { return &Spec{Name: f.Name, file: &f} }

// At makes the limiter for a limit, which replaces the Spec's own.
func (s *Spec) At(p limit.Policy) (*Limiter, error) {
	if s.Choice == nil {
		return OfScript(*s.file, p)
	}
	return s.asAlgorithm(s.Choice.AtTheLimit(), p)
}

// Under makes the limiter for the limit that it is measured against. parameters has defaults for each algorithm.
func (s *Spec) Under(p limit.Policy, parameters map[string]map[string]string) (*Limiter, error) {
	if s.Choice == nil {
		return OfScript(*s.file, p)
	}
	choice, err := s.Choice.WithDefaults(parameters[s.Choice.Algorithm.Name])
	if err != nil {
		return nil, err
	}
	return s.asAlgorithm(choice, p)
}

// asAlgorithm makes a limiter that is called as a built-in algorithm. It has a model only with that algorithm's source.
func (s *Spec) asAlgorithm(choice algorithms.Choice, p limit.Policy) (*Limiter, error) {
	l, err := OfAlgorithm(choice, p)
	if err != nil || s.file == nil {
		return l, err
	}
	program := l.Program
	if program.Init != nil {
		program.InitSource = s.source
	}
	program.Source, program.Foreign = s.source, true
	l = l.WithoutModel()
	l.File = s.Name
	return l, nil
}

// Changed is the limit that generated traffic has in turn with p: twice the requests, so that each change leaves keys
// at which something is used.
func Changed(p limit.Policy) limit.Policy {
	p.Requests *= 2
	if p.Burst > 0 {
		p.Burst *= 2
	}
	return p
}
