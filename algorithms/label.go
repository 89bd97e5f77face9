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

// Choice is an algorithm with the parameters that the user set. The parameters are valid.
type Choice struct {
	// canonical: the name, then :k=v for limit and per, the algorithm's parameters, and the row's parameters
	Label     string
	Algorithm *Algorithm
	set       map[string]string
	seed      uint64 // for the random numbers of its decisions
}

// Parse reads a label such as "gcra" or "token-bucket-interval:capacity=5:interval=1s".
func Parse(label string) (Choice, error) {
	name, set, err := settings(label)
	if err != nil {
		return Choice{}, fmt.Errorf("algorithm %s: %w", message.Quote(label), err)
	}
	return Choose(name, set)
}

// settings splits a label, such as gcra:burst=5:time=client, into its name and its parameters.
func settings(label string) (name string, set map[string]string, err error) {
	name, rest, more := strings.Cut(label, ":")
	set = map[string]string{}
	for more {
		var setting string
		setting, rest, more = strings.Cut(rest, ":")
		key, value, found := strings.Cut(setting, "=")
		if !found {
			return name, nil, fmt.Errorf("%s is not a parameter; want name=value", message.Quote(setting))
		}
		if _, twice := set[key]; twice {
			return name, nil, fmt.Errorf("parameter %s is set twice", message.Quote(key))
		}
		set[key] = value
	}
	return name, set, nil
}

// Settings reads the label of something other than an algorithm. It returns the canonical spelling and the parameters,
// which must be among legal.
func Settings(label string, legal []Parameter) (canonical string, set map[string]string, err error) {
	name, set, err := settings(label)
	if err == nil {
		set, err = check(set, legal)
	}
	return labelled(name, set, legal), set, err
}

// labelled returns the label of a name with parameters. A row's own limit comes first, as in gcra:limit=900:burst=100.
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
	if special[name] != nil {
		algorithm = special[name]
	}
	if algorithm == nil {
		return Choice{}, fmt.Errorf("no such algorithm %s; %s", message.Quote(name), suggest(name, Names()))
	}
	canonical, err := algorithm.check(set)
	if err != nil {
		return Choice{}, err
	}
	return Choice{Label: labelled(name, canonical, algorithm.parameters()), Algorithm: algorithm, set: canonical}, nil
}

// WithDefaults returns c with further parameters, such as a scenario's. Parameters in c's label override them. The
// label stays the same.
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

// Under returns the rule of the choice c, for a run whose limit is p. An error names c's label and the value that does
// not fit.
func (c Choice) Under(p limit.Policy) (Rule, error) {
	if err := p.Validate(); err != nil {
		return Rule{}, fmt.Errorf("%s: %w", c.Label, err)
	}
	values := c.values()
	own := c.Policy(p)
	if c.Algorithm.isSpecial() {
		return Rule{}, fmt.Errorf("%s: %s", c.Label, c.Algorithm.needs())
	}
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

// check returns the parameters of set in their canonical spelling, or an error that names the invalid one.
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

// InRole returns the parameter with role r, or nil if the algorithm has none.
func (s *Algorithm) InRole(r Role) *Parameter {
	if i := slices.IndexFunc(s.Parameters, func(p Parameter) bool { return p.Role == r }); i >= 0 {
		return &s.Parameters[i]
	}
	return nil
}

// InRole returns the number that the parameter with role r has, or 0 if the algorithm has no such parameter.
func (in *Rule) InRole(r Role) int64 {
	if p := in.Algorithm.InRole(r); p != nil {
		return p.Number(in.Parameters[p.Name])
	}
	return 0
}

// InRole returns the value of the parameter with role r in a row of results. It returns "" if label's algorithm has no
// such parameter, or the row does not have it. It also returns "" for other labels, such as a user's script's.
func InRole(r Role, label string, parameters map[string]string) string {
	if p := Of(label).InRole(r); p != nil {
		return parameters[p.Name]
	}
	return ""
}

// find returns the parameter with that name, or nil.
func find(all []Parameter, name string) *Parameter {
	if i := slices.IndexFunc(all, func(p Parameter) bool { return p.Name == name }); i >= 0 {
		return &all[i]
	}
	return nil
}

// suggest names the nearest legal word if one is similar. If none is, or there are few, it lists all.
func suggest(word string, legal []string) string {
	if near, ok := message.Nearest(word, legal); ok && len(legal) > 8 {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return message.OneOf(word, legal)
}
