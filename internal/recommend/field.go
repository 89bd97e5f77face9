package recommend

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ratelab/algorithms"
	"ratelab/internal/limit"
)

// entrant is a candidate before it has decided anything.
type entrant struct {
	label string
	// choices are the algorithm with its parameters under each of the policies, in their order: a tenth of the limit is
	// another number under each.
	choices []algorithms.Choice
}

// variant is one way to set an algorithm's parameters.
type variant struct {
	parameter string
	words     string                   // L/10, where the value depends on the limit
	value     func(limit.Policy) int64 // 0: there is no such variant under that limit
}

// variants are what a person would try: the limit's own burst, half of the limit, a tenth, no burst at all, and finer
// sub-windows; and of gcra the one whose promise is within the tolerance by the window's contract.
func variants(s *algorithms.Spec, t Tolerance) []variant {
	all := []variant{{}}
	if p := s.InRole(algorithms.Capacity); p != nil {
		for _, part := range []int64{2, 10} {
			all = append(all, variant{p.Name, fmt.Sprintf("L/%d", part),
				func(p limit.Policy) int64 { return max(1, p.Requests/part) }})
		}
		all = append(all, variant{p.Name, "1", func(limit.Policy) int64 { return 1 }})
		if s.Name == "gcra" {
			words := fmt.Sprintf("(%s-1)L", decimal(t.MaxOvershoot))
			all = append(all, variant{p.Name, words, func(p limit.Policy) int64 { return t.strictBurst(p.Requests) }})
		}
	}
	if p := s.InRole(algorithms.Parts); p != nil {
		for _, n := range []int64{10, 60} {
			all = append(all, variant{p.Name, "", func(limit.Policy) int64 { return n }})
		}
	}
	return all
}

// field is who enters by default: every algorithm but the floor, with its variants. What cannot keep one of the
// policies is left out, and what amounts to an earlier one is not listed.
func field(policies []limit.Policy, t Tolerance) (entrants []entrant, leftOut []LeftOut) {
	leftOut = []LeftOut{}
	for _, spec := range algorithms.All() {
		if spec.Family == "floor" {
			continue
		}
		var known [][]map[string]string
		for _, v := range variants(&spec, t) {
			if v.value != nil && slices.ContainsFunc(policies, func(p limit.Policy) bool { return v.value(p) == 0 }) {
				continue
			}
			e, parameters, err := v.enter(&spec, policies)
			if err != nil {
				leftOut = append(leftOut, LeftOut{e.label, err.Error()})
				continue
			}
			same := func(other []map[string]string) bool { return slices.EqualFunc(other, parameters, maps.Equal) }
			if slices.ContainsFunc(known, same) {
				continue
			}
			known = append(known, parameters)
			entrants = append(entrants, e)
		}
	}
	return entrants, leftOut
}

// enter is the variant under each policy, with all parameters that it has there.
func (v variant) enter(s *algorithms.Spec, policies []limit.Policy) (entrant, []map[string]string, error) {
	e := entrant{label: s.Name}
	var parameters []map[string]string
	for i, p := range policies {
		set := byTheServer(s)
		if v.parameter != "" {
			set[v.parameter] = strconv.FormatInt(v.value(p), 10)
		}
		choice, err := algorithms.Choose(s.Name, set)
		if err != nil {
			return e, nil, err
		}
		switch {
		case i == 0:
			e.label = choice.Label
		case e.label != choice.Label:
			e.label = strings.Replace(choice.Label, v.parameter+"="+set[v.parameter], v.parameter+"="+v.words, 1)
		}
		instance, err := choice.Instance(p)
		if err != nil {
			return e, nil, err
		}
		e.choices = append(e.choices, choice)
		parameters = append(parameters, instance.Parameters)
	}
	return e, parameters, nil
}

// byTheServer sets the clock of those that go by the client's otherwise: all are to keep the limit by one clock, and
// who asks no server for the time takes a command less.
func byTheServer(s *algorithms.Spec) map[string]string {
	set := map[string]string{}
	if p := s.InRole(algorithms.Clock); p != nil && p.Default != serversClock {
		set[p.Name] = serversClock
	}
	return set
}

// serversClock is the value of the parameter that says whose clock decides.
const serversClock = "server"

// chosen are the entrants of a list that somebody gave.
func chosen(choices []algorithms.Choice, policies int) []entrant {
	var all []entrant
	for _, c := range choices {
		all = append(all, entrant{c.Label, slices.Repeat([]algorithms.Choice{c}, policies)})
	}
	return all
}
