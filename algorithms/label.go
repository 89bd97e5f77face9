package algorithms

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ratelab/internal/limit"
	"ratelab/internal/message"
)

// Choice is an algorithm with the parameters that the user set, which are valid.
type Choice struct {
	Label     string // canonical: the name, and :k=v: limit and per, then the algorithm's parameters, then a row's
	Algorithm *Algorithm
	set       map[string]string
	seed      uint64 // of the random numbers of its decisions
}

// Parse reads a label such as "gcra" or "token-bucket-interval:capacity=5:interval=1s".
func Parse(label string) (Choice, error) {
	name, set, err := settings(label)
	if err != nil {
		return Choice{}, fmt.Errorf("algorithm %s: %w", message.Quote(label), err)
	}
	return Choose(name, set)
}

// settings takes a label apart.
func settings(label string) (name string, set map[string]string, err error) {
	name, rest, more := strings.Cut(label, ":")
	set = map[string]string{}
	for more {
		var setting string
		setting, rest, more = strings.Cut(rest, ":")
		key, value, found := strings.Cut(setting, "=")
		if !found {
			return name, nil, fmt.Errorf("%s is no parameter; want name=value", message.Quote(setting))
		}
		if _, twice := set[key]; twice {
			return name, nil, fmt.Errorf("parameter %s is set twice", message.Quote(key))
		}
		set[key] = value
	}
	return name, set, nil
}

// Settings reads a label of something that is no algorithm: its legal parameters, and its canonical spelling.
func Settings(label string, legal []Parameter) (canonical string, set map[string]string, err error) {
	name, set, err := settings(label)
	if err == nil {
		set, err = check(set, legal)
	}
	return labelled(name, set, legal), set, err
}

// labelled is the label of a name with parameters: a row's own limit first, as in gcra:limit=900:burst=100.
func labelled(name string, set map[string]string, all []Parameter) string {
	for _, limits := range []bool{true, false} {
		for _, p := range all {
			if value, ok := set[p.Name]; ok && limits == (p.Name == "limit" || p.Name == "per") {
				name += ":" + p.Name + "=" + value
			}
		}
	}
	return name
}

// Choose is Parse for a name and parameters that are already separate.
func Choose(name string, set map[string]string) (Choice, error) {
	algorithm := registered[name]
	if algorithm == nil {
		return Choice{}, fmt.Errorf("no such algorithm %s; %s", message.Quote(name), suggest(name, Names()))
	}
	canonical, err := algorithm.check(set)
	if err != nil {
		return Choice{}, err
	}
	return Choice{Label: labelled(name, canonical, algorithm.parameters()), Algorithm: algorithm, set: canonical}, nil
}

// WithDefaults is c with further parameters, such as a scenario's. Those that c's label sets win. The label stays.
func (c Choice) WithDefaults(set map[string]string) (Choice, error) {
	canonical, err := c.Algorithm.check(set)
	if err == nil {
		err = c.Algorithm.noDefault(set)
	}
	if err != nil {
		return Choice{}, err
	}
	maps.Copy(canonical, c.set)
	c.set = canonical
	return c, nil
}

// Under makes c's rule for a run with the limit p. An error names c's label and the value that does not fit.
func (c Choice) Under(p limit.Policy) (Rule, error) {
	if err := p.Validate(); err != nil {
		return Rule{}, fmt.Errorf("%s: %w", c.Label, err)
	}
	values := c.values()
	own := c.Policy(p)
	in, err := c.Algorithm.Prepare(own, values)
	if err == nil {
		in.Label, in.Algorithm, in.Parameters = c.Label, c.Algorithm, values.resolved
		in.GranularityUS = max(1, in.GranularityUS)
		err = c.atRow(&in, own)
		if err == nil && in.GranularityUS > 1 && !in.ClientTime {
			err = errors.New("granularity is about the client's clock; set time=client as well")
		}
	}
	if err != nil {
		return Rule{}, fmt.Errorf("%s: %w", c.Label, err)
	}
	return in, nil
}

// check gives the parameters of set in their canonical spelling, or says which is none.
func (s *Algorithm) check(set map[string]string) (map[string]string, error) {
	canonical, err := check(set, s.parameters())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	return canonical, nil
}

func check(set map[string]string, all []Parameter) (map[string]string, error) {
	canonical := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		p := find(all, name)
		if p == nil {
			return nil, unknown(name, all)
		}
		text, err := p.canonical(set[name])
		if err != nil {
			return nil, fmt.Errorf("parameter %s: %w", name, err)
		}
		canonical[name] = text
	}
	return canonical, nil
}

func unknown(name string, all []Parameter) error {
	if len(all) == 0 {
		return fmt.Errorf("no such parameter %s; it has none", message.Quote(name))
	}
	var legal []string
	for _, p := range all {
		legal = append(legal, p.Name)
	}
	return fmt.Errorf("no such parameter %s; %s", message.Quote(name), suggest(name, legal))
}

// InRole is the parameter of that meaning; nil where the algorithm has none.
func (s *Algorithm) InRole(r Role) *Parameter {
	if i := slices.IndexFunc(s.Parameters, func(p Parameter) bool { return p.Role == r }); i >= 0 {
		return &s.Parameters[i]
	}
	return nil
}

// InRole is the number that the parameter of that meaning has; 0 where the algorithm has none.
func (in *Rule) InRole(r Role) int64 {
	if p := in.Algorithm.InRole(r); p != nil {
		return p.Number(in.Parameters[p.Name])
	}
	return 0
}

// InRole is the value of the parameter of that meaning in a row of results. It is empty where label's algorithm has no
// such parameter, where the row does not name it, and for a label that is no algorithm's, such as a user's script's.
func InRole(r Role, label string, parameters map[string]string) string {
	if p := Of(label).InRole(r); p != nil {
		return parameters[p.Name]
	}
	return ""
}

// find is the parameter of that name; nil: there is none.
func find(all []Parameter, name string) *Parameter {
	if i := slices.IndexFunc(all, func(p Parameter) bool { return p.Name == name }); i >= 0 {
		return &all[i]
	}
	return nil
}

// suggest names the nearest of the legal words where one is near, and lists all where none is or they are few.
func suggest(word string, legal []string) string {
	if near, ok := message.Nearest(word, legal); ok && len(legal) > 8 {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return message.OneOf(word, legal)
}
