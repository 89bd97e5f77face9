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
	Choice *algorithms.Choice // the algorithm whose KEYS and ARGV the script gets; nil: the binding has them

	file   *script.File // nil: the algorithm's own script
	source string       // the source of a script that is called like an algorithm
}

// IsScript reports whether name is the name of a Lua file.
func IsScript(name string) bool { return strings.EqualFold(filepath.Ext(name), ".lua") }

// IsAlgorithm reports whether label names a built-in algorithm, with any parameters.
func IsAlgorithm(label string) bool {
	name, _, _ := strings.Cut(label, ":")
	return slices.Contains(algorithms.Names(), name)
}

// SpecOf returns the Spec of a built-in algorithm or of a Lua file. as is the label of an algorithm: the file gets the
// same KEYS and ARGV as this algorithm. If as is empty, the binding FILE.yaml lists KEYS and ARGV. If there is no
// binding, the file's name is the label.
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

// At returns the limiter for the limit p. p replaces the parameters limit and per of the Spec.
func (s *Spec) At(p limit.Policy) (*Limiter, error) {
	if s.Choice == nil {
		return OfScript(*s.file, p)
	}
	return s.asAlgorithm(s.Choice.AtTheLimit(), p)
}

// AtEnds is like At, but the algorithm may be one for requests that end: leases under a limit on requests in flight, or
// gcra:reserve=0.
func (s *Spec) AtEnds(p limit.Policy) (*Limiter, error) {
	switch {
	case s.Choice == nil || s.file != nil:
		return s.At(p)
	case p.Contract == limit.ByFlight:
		return OfSlots(*s.Choice, p)
	case s.Choice.IsTokens():
		return OfTokens(*s.Choice, p)
	}
	return s.At(p)
}

// Under returns the limiter that is measured against the limit p. parameters has defaults for each algorithm.
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

// UnderAll returns the limiter for several limits on each request.
func (s *Spec) UnderAll(limits []limit.Limit, parameters map[string]map[string]string) (*Limiter, error) {
	if s.Choice == nil {
		return OfScriptUnder(*s.file, limits)
	}
	choice, err := s.Choice.WithDefaults(parameters[s.Choice.Algorithm.Name])
	if err != nil {
		return nil, err
	}
	l, err := OfLimits(choice, limits)
	if err != nil || s.file == nil {
		return l, err
	}
	for _, p := range l.Programs() {
		p.Source, p.Foreign = s.source, true
		if p.Init != nil {
			p.InitSource = s.source
		}
	}
	l = l.WithoutModel()
	l.File = s.Name
	for i, one := range l.Each {
		l.Each[i] = one.WithoutModel()
		l.Each[i].File = s.Name
	}
	return l, nil
}

// asAlgorithm returns a limiter that gets the KEYS and ARGV of a built-in algorithm. The limiter of a user's file has
// no model, even if the file has the algorithm's source.
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

// Changed returns a limit with twice the requests and the burst of p. Generated traffic that tests changes of a limit
// alternates between p and this limit. So some keys have used a part of their limit when it changes.
func Changed(p limit.Policy) limit.Policy {
	p.Requests *= 2
	if p.Burst > 0 {
		p.Burst *= 2
	}
	return p
}
