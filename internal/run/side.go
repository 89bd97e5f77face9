package run

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
	"ratelab/internal/scenario"
	"ratelab/internal/script"
)

// Side is a script or a built-in algorithm in a comparison, under any limit.
type Side struct {
	Name   string             // as the user wrote it
	Choice *algorithms.Choice // the algorithm as which it is called; nil: the binding says how

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

// NewSide makes a side of a built-in algorithm or a Lua file. A file is called as its binding FILE.yaml says, as the
// algorithm with the label as, or by default as the algorithm that has the file's name.
func NewSide(f script.File, as string) (*Side, error) {
	s := &Side{Name: f.Name}
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

// Under makes the side's limiter for a limit, with default parameters.
func (s *Side) Under(p limit.Policy) (*Limiter, error) { return s.In(&scenario.Scenario{Limit: p}) }

// In makes the side's limiter for a scenario: with its limit and its parameters. A scenario without phases is only a
// limit, which replaces the side's own.
func (s *Side) In(at *scenario.Scenario) (*Limiter, error) {
	if s.Choice == nil {
		return bound(*s.file, at.Limit)
	}
	choice := *s.Choice
	if at.Phases == nil {
		choice = choice.AtTheLimit()
	}
	choice, err := choice.WithDefaults(at.Parameters[choice.Algorithm.Name])
	if err != nil {
		return nil, err
	}
	return s.asAlgorithm(choice, at.Limit)
}

// asAlgorithm makes a limiter that is called as a built-in algorithm. It has a model only with that algorithm's source.
func (s *Side) asAlgorithm(choice algorithms.Choice, p limit.Policy) (*Limiter, error) {
	l, err := Builtin(choice, p)
	if err == nil && s.file != nil {
		program := l.Program
		if program.Init != nil {
			program.InitSource = s.source
		}
		program.Source, program.Foreign = s.source, true
		l.File, l.NewModel, l.MostAdmitted, l.MostDeparting = s.Name, nil, nil, nil
	}
	return l, err
}

// changing is a limiter of the side whose limit is another one in every second period. It has no model.
func (s *Side) changing(l *Limiter, at *scenario.Scenario) (*Limiter, error) {
	then := *at
	then.Limit = Changed(at.Limit)
	other, err := s.In(&then)
	if err != nil {
		return nil, err
	}
	period := max(1, 2*at.Limit.WindowUS()/3)
	both := *l
	both.Program = l.Program.Changing(other.Program, at.Start.UnixMicro()+period, period)
	both.NewModel, both.MostAdmitted, both.MostDeparting = nil, nil, nil
	return &both, nil
}
