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

// Side is a script, or a built-in algorithm, that is to be compared with another one, under whatever limit.
type Side struct {
	Name   string             // as it was asked for
	Choice *algorithms.Choice // as which algorithm it is called; nil: as the binding of the script says

	file   *script.File // nil: the algorithm's own
	source string       // of a script that is called as an algorithm is
}

// IsScript reports whether a name is that of a file of Lua.
func IsScript(name string) bool { return strings.EqualFold(filepath.Ext(name), ".lua") }

// IsAlgorithm reports whether a label is that of a built-in algorithm, whatever its parameters.
func IsAlgorithm(label string) bool {
	name, _, _ := strings.Cut(label, ":")
	return slices.Contains(algorithms.Names(), name)
}

// NewSide is a built-in algorithm, or a file of Lua. A file is called as its binding says, FILE.yaml beside it; or as
// the algorithm of the label as is, where that is not empty; or, without either, as the algorithm is that has the
// file's name.
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

// Under is the side under a limit, with its default parameters.
func (s *Side) Under(p limit.Policy) (*Limiter, error) { return s.In(&scenario.Scenario{Limit: p}) }

// In is the side as it meets a scenario: under its limit, with its parameters. A scenario without phases is a limit
// alone, which takes the place of the side's own.
func (s *Side) In(at *scenario.Scenario) (*Limiter, error) {
	if s.Choice == nil {
		return bound(*s.file, at.Limit)
	}
	choice := *s.Choice
	if at.Phases == nil {
		choice = choice.AtTheLimit()
	}
	choice, err := choice.WithDefaults(at.Parameters[choice.Spec.Name])
	if err != nil {
		return nil, err
	}
	return s.asAlgorithm(choice, at.Limit)
}

// asAlgorithm is the side called as a built-in algorithm is. Of another source than its own the model says nothing.
func (s *Side) asAlgorithm(choice algorithms.Choice, p limit.Policy) (*Limiter, error) {
	l, err := Builtin(choice, p)
	if err != nil {
		return nil, fmt.Errorf("%w (under the limit %v)", err, p)
	}
	if s.file != nil {
		program := l.Program
		if program.Init != nil {
			program.InitSource = s.source
		}
		program.Source, program.Foreign = s.source, true
		l.File, l.NewModel, l.MostAdmitted, l.MostDeparting = s.Name, nil, nil, nil
	}
	return l, nil
}
