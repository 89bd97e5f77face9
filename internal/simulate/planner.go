package simulate

import (
	"fmt"
	"slices"
	"strings"

	"ratelab/algorithms"
	"ratelab/internal/clients"
	"ratelab/internal/lineup"
	"ratelab/internal/message"
	"ratelab/internal/scenario"
	"ratelab/internal/sequence"
)

// choices are the algorithms that meet a scenario.
func (p *planner) choices(s *scenario.Scenario) []algorithms.Choice {
	switch {
	case p.job.Expected:
		return expected(s)
	case p.job.Algorithms == nil:
		return everything(slices.Concat(p.further(s), expected(s)))
	}
	return p.job.Algorithms
}

// further are the rows that a scenario asks for, beside those of the algorithms with their defaults.
func (p *planner) further(s *scenario.Scenario) []algorithms.Choice {
	var choices []algorithms.Choice
	for _, row := range s.Rows {
		c, err := algorithms.Parse(row.Label)
		switch {
		case err != nil:
			p.Bad(fmt.Errorf("%s:%d:%d: rows: %w", row.File, row.Line, row.Column, err))
		case slices.ContainsFunc(choices, func(o algorithms.Choice) bool { return o.Label == c.Label }):
			p.Bad(fmt.Errorf("%s:%d:%d: rows: there would be two rows named %q", row.File, row.Line, row.Column,
				c.Label))
		default:
			choices = append(choices, c)
		}
	}
	return choices
}

// expected are the algorithms that a scenario expects something of. It may also expect something of scripts and
// sequences.
func expected(s *scenario.Scenario) []algorithms.Choice {
	var choices []algorithms.Choice
	for _, e := range s.Expect {
		base, _ := strings.CutSuffix(e.Algorithm, scenario.LocalFlagSuffix)
		c, err := algorithms.Parse(base)
		if err == nil && !slices.ContainsFunc(choices, func(o algorithms.Choice) bool { return o.Label == c.Label }) {
			choices = append(choices, c)
		}
	}
	return choices
}

// checkExpected refuses expectations of rows that there cannot be.
func (p *planner) checkExpected(s *scenario.Scenario, entries []*lineup.Entry) {
	for _, e := range s.Expect {
		base, flagged := strings.CutSuffix(e.Algorithm, scenario.LocalFlagSuffix)
		_, err := algorithms.Parse(base)
		switch {
		case flagged && !hasLocalFlag(s):
			p.Bad(fmt.Errorf("%s:%d:%d: expect: %q: the scenario has no clients with local_flag: true", e.File, e.Line,
				e.Column, e.Algorithm))
		case err != nil && !namesSequence(s, e.Algorithm) && !lineup.Labelled(entries, e.Algorithm):
			own := ""
			if !lineup.IsAlgorithm(base) {
				own = " (the row of a script of your own needs --script FILE.lua)"
			}
			p.Bad(fmt.Errorf("%s:%d:%d: expect: %w%s", e.File, e.Line, e.Column, err, own))
		}
	}
}

// checkObeyed refuses scripts that never say when to come back where clients go by that, as often as it takes: they
// would be back within a microsecond, and the run without an end.
func (p *planner) checkObeyed(s *scenario.Scenario, entries []*lineup.Entry) {
	for i := range s.Clients {
		g := &s.Clients[i]
		if g.OnReject != clients.Obey || g.Attempts > 0 {
			continue
		}
		for _, e := range entries {
			if e.File != "" && !e.Program.TellsRetry {
				p.Bad(fmt.Errorf("%s: %s: on_reject: obey goes by when a rejection says to come back, "+
					"and %s never says so: name retry_after in its binding, or set attempts: 5, or "+
					"on_reject: backoff", s.Name, g.Name, message.Path(e.File)))
			}
		}
	}
}

// everything is all algorithms with their defaults, each followed by the variants that a scenario names.
func everything(named []algorithms.Choice) []algorithms.Choice {
	var all []algorithms.Choice
	for _, spec := range algorithms.All() {
		plain, err := algorithms.Parse(spec.Name)
		if err != nil {
			panic(err) // the name comes from the registry
		}
		all = append(all, plain)
		for _, c := range named {
			known := slices.ContainsFunc(all, func(o algorithms.Choice) bool { return o.Label == c.Label })
			if c.Spec.Name == spec.Name && !known {
				all = append(all, c)
			}
		}
	}
	return all
}

// planner resolves a job's names, and collects what is wrong with them.
type planner struct {
	lineup.Problems
	job *Job
}

// sequences resolves what a scenario names; a label of a script must not be one of them.
func (p *planner) sequences(s *scenario.Scenario, rows []*lineup.Entry) []sequence.Choice {
	var all []sequence.Choice
	for _, label := range s.Sequences {
		c, err := sequence.Parse(label)
		if err != nil {
			p.Bad(fmt.Errorf("%s: sequences: %w", s.Name, err))
			continue
		}
		same := func(o sequence.Choice) bool { return o.Label == c.Label }
		if lineup.Labelled(rows, c.Label) || slices.ContainsFunc(all, same) {
			p.Bad(fmt.Errorf("%s: sequences: there would be two rows named %q", s.Name, c.Label))
		}
		all = append(all, c)
	}
	return all
}

// namesSequence reports whether label is one of the scenario's sequences, however it is written.
func namesSequence(s *scenario.Scenario, label string) bool {
	wanted, err := sequence.Parse(label)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(s.Sequences, func(other string) bool {
		c, err := sequence.Parse(other)
		return err == nil && c.Label == wanted.Label
	})
}
