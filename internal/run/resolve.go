package run

import (
	"fmt"
	"slices"
	"strings"

	"ratelab/algorithms"
	"ratelab/internal/clients"
	"ratelab/internal/limiter"
	"ratelab/internal/message"
	"ratelab/internal/scenario"
	"ratelab/internal/sequence"
)

// resolver resolves the names of an Ask, and collects the mistakes.
type resolver struct {
	Problems
	*Ask
}

// Plans resolves all names. After that, only the server can fail. The error is a *replay.InputError that lists all
// mistakes.
func (a *Ask) Plans() ([]*Plan, error) {
	r := &resolver{Ask: a}
	var all []*Plan
	for _, s := range a.Scenarios {
		p := NewPlan(s, a.Instead)
		p.Sweeps = a.Sweeps
		if !p.checkParts(a.Instead, &r.Problems) {
			continue
		}
		p.Enter(r.choices(&p), a.Scripts, &r.Problems)
		r.addSequences(&p)
		r.checkExpected(&p)
		p.checkEnds(&r.Problems)
		if p.inFlight() || p.settles() {
			p.checkFlight(&r.Problems)
		}
		if p.several() {
			p.checkSeveral(&r.Problems)
		} else {
			r.checkObeyed(&p)
		}
		all = append(all, &p)
	}
	return all, r.Err()
}

// choices returns a plan's algorithms: those that the Ask names, or all with their defaults. Each is followed by the
// variants that the scenario's rows and expect name. Under a window contract, these include the second settings.
func (r *resolver) choices(p *Plan) []algorithms.Choice {
	s, expected := p.Scenario, expected(p.Scenario)
	switch {
	case r.Expected:
		return expected
	case r.Algorithms != nil:
		return r.Algorithms
	}
	if p.several() || p.settles() || p.inFlight() {
		all := algorithms.TokenRows()
		switch {
		case p.several():
			all = severalRows(p.Limits)
		case p.inFlight():
			all = algorithms.SlotRows()
		}
		for _, c := range slices.Concat(r.further(s), expected) {
			if r.Limits == nil && !chosen(all, c) { // otherwise they were written for the file's limits
				all = append(all, c)
			}
		}
		return all
	}
	second := algorithms.SecondRows(p.Policy)
	named := slices.Concat(r.further(s), expected, second)
	if r.Limit != nil { // a variant with its own limit or burst was written for the file's limit
		named = slices.DeleteFunc(named, func(c algorithms.Choice) bool {
			return strings.Contains(c.Label, ":limit=") || strings.Contains(c.Label, ":burst=")
		})
		named = slices.Concat(second, named)
	}
	var all []algorithms.Choice
	for _, plain := range algorithms.Defaults() {
		all = append(all, plain)
		for _, c := range named {
			if c.Algorithm == plain.Algorithm && !chosen(all, c) {
				all = append(all, c)
			}
		}
	}
	return all
}

// chosen reports whether all contains c's label.
func chosen(all []algorithms.Choice, c algorithms.Choice) bool {
	return slices.ContainsFunc(all, func(o algorithms.Choice) bool { return o.Label == c.Label })
}

// further returns the variants that a scenario's rows name.
func (r *resolver) further(s *scenario.Scenario) []algorithms.Choice {
	var choices []algorithms.Choice
	for _, row := range s.Rows {
		c, err := algorithms.Parse(row.Label)
		switch {
		case err != nil:
			r.Bad(fmt.Errorf("%s: rows: %w", row.Place, err))
		case chosen(choices, c):
			r.Bad(fmt.Errorf("%s: rows: there would be two rows named %q", row.Place, c.Label))
		default:
			choices = append(choices, c)
		}
	}
	return choices
}

// expected returns the algorithms that a scenario's expect names. It may also name scripts and sequences, which are
// skipped.
func expected(s *scenario.Scenario) []algorithms.Choice {
	var choices []algorithms.Choice
	for _, e := range s.Expect {
		base, _ := strings.CutSuffix(e.Algorithm, scenario.LocalFlagSuffix)
		if c, err := algorithms.Parse(base); err == nil && !chosen(choices, c) {
			choices = append(choices, c)
		}
	}
	return choices
}

// checkExpected refuses expectations for rows that do not exist.
func (r *resolver) checkExpected(p *Plan) {
	for _, e := range p.Scenario.Expect {
		base, flagged := strings.CutSuffix(e.Algorithm, scenario.LocalFlagSuffix)
		_, err := algorithms.Parse(base)
		switch {
		case flagged && !hasLocalFlag(p.Scenario):
			r.Bad(fmt.Errorf("%s: expect: %q: the scenario has no clients with local_flag: true", e.Place,
				e.Algorithm))
		case err != nil && !p.has(rowLabel(e.Algorithm)):
			own := ""
			if !limiter.IsAlgorithm(base) {
				own = " (the row of a script of your own needs --script FILE.lua)"
			}
			r.Bad(fmt.Errorf("%s: expect: %w%s", e.Place, err, own))
		}
	}
}

// checkObeyed refuses scripts without a retry_after if clients obey it without a limit on attempts: they would retry
// after a microsecond, and the run would take too long. If the user did not name the scenario, it runs without a row
// for the script.
func (r *resolver) checkObeyed(p *Plan) {
	for _, g := range p.Scenario.Clients {
		for _, l := range p.Foreign() {
			if g.OnReject == clients.Obey && g.Attempts == 0 && !l.Program.TellsRetry {
				if r.Default {
					p.Limiters = slices.DeleteFunc(p.Limiters, func(o *limiter.Limiter) bool { return o == l })
					p.notes = append(p.notes, fmt.Sprintf("%s has no row: these clients obey retry_after, but it "+
						"returns none", l.Label))
					continue
				}
				r.Bad(fmt.Errorf("%s: %s: on_reject: obey needs a retry_after, and %s never "+
					"returns one: name retry_after in its binding, or set attempts: 5, or on_reject: backoff",
					p.Scenario.Name, g.Name, message.Path(l.File)))
			}
		}
	}
}

// addSequences resolves the scenario's sequences. A sequence must not have the label of a script.
func (r *resolver) addSequences(p *Plan) {
	for _, label := range p.Scenario.Sequences {
		c, err := sequence.Parse(label)
		if err != nil {
			r.Bad(fmt.Errorf("%s: sequences: %w", p.Scenario.Name, err))
			continue
		}
		if p.has(c.Label) {
			r.Bad(fmt.Errorf("%s: sequences: there would be two rows named %q", p.Scenario.Name, c.Label))
		}
		p.Limiters = append(p.Limiters, limiter.OfSequence(c))
	}
}

// rowLabel returns a label of a scenario file in its canonical spelling.
func rowLabel(label string) string {
	base, flagged := strings.CutSuffix(label, scenario.LocalFlagSuffix)
	if c, err := algorithms.Parse(base); err == nil {
		base = c.Label
	} else if c, err := sequence.Parse(base); err == nil {
		base = c.Label
	}
	if flagged {
		base += scenario.LocalFlagSuffix
	}
	return base
}

// hasLocalFlag reports whether any group of clients has a local flag.
func hasLocalFlag(s *scenario.Scenario) bool {
	return slices.ContainsFunc(s.Clients, func(g clients.Group) bool { return g.LocalFlag })
}
