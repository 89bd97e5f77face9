package recommend

import (
	"fmt"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/report"
	"ratelab/internal/scenario"
	"ratelab/internal/sheet"
)

// Where clients react each row has requests of its own, and what it admits beyond the contract or falls short of cannot
// be compared. What its clients get done can be: they want the same of every row.

// yardstick is the algorithm that is exact by definition under a contract: what its clients get done is what those of
// the others are held against.
func yardstick(c limit.Contract) algorithms.Choice {
	name := "sliding-window-log"
	if c == limit.ByBucket {
		name = "gcra"
	}
	choice, err := algorithms.Choose(name, nil)
	if err != nil {
		panic(err) // an algorithm that is built in
	}
	return choice
}

// yardstickIn is the label of a scenario's.
func (t *trial) yardstickIn(s *scenario.Scenario) string {
	return yardstick(lineup.NewContest(s, t.Instead).Policy.Contract).Label
}

// served is what the clients of a row got; nil where none react.
func (e evidence) served() *Served {
	c := e.row.Clients
	if c == nil {
		return nil
	}
	s := &Served{GoodputPerSecond: c.GoodputPerSecond, Amplification: float64(c.Attempts),
		TimeToSuccessUS: c.TimeToSuccessUS}
	if c.Amplification != nil {
		s.Amplification = *c.Amplification
	}
	if e.exact != nil && e.exact.Clients != nil {
		s.ExactGoodputPerSecond = e.exact.Clients.GoodputPerSecond
	}
	return s
}

// missing is the share of an exact limiter's goodput that is missing.
func (s *Served) missing() float64 {
	if s.ExactGoodputPerSecond == 0 {
		return 0
	}
	return max(0, (s.ExactGoodputPerSecond-s.GoodputPerSecond)/s.ExactGoodputPerSecond)
}

// tries is the amplification of a run, 0 where clients do not react.
func (p *Played) tries() float64 {
	if p.Clients == nil {
		return 0
	}
	return p.Clients.Amplification
}

// slowest is how long the last but one of a hundred successes took, in µs.
func (p *Played) slowest() float64 {
	if p.Clients == nil || p.Clients.TimeToSuccessUS == nil {
		return 0
	}
	return float64(p.Clients.TimeToSuccessUS.P99)
}

// serve sums up what the clients of all seeds got.
func (f *Figures) serve() {
	if f.Runs[0].Clients == nil {
		return
	}
	goodput := f.spread(func(p *Played) float64 { return p.Clients.GoodputPerSecond })
	tries, slowest := f.spread((*Played).tries), f.spread((*Played).slowest)
	f.Goodput, f.Amplification, f.TimeToSuccessUS = &goodput, &tries, &slowest
}

// serve takes over what is worse for clients in f than it was before.
func (c *Candidate) serve(f *Figures) {
	if f.Goodput == nil {
		return
	}
	if c.Goodput == nil || f.Goodput.Median < c.Goodput.Median {
		c.Goodput = &Worst{*f.Goodput, f.Scenario}
	}
	if c.Amplification == nil || f.Amplification.Median > c.Amplification.Median {
		c.Amplification = &Worst{*f.Amplification, f.Scenario}
	}
	if c.TimeToSuccessUS == nil || f.TimeToSuccessUS.Median > c.TimeToSuccessUS.Median {
		c.TimeToSuccessUS = &Worst{*f.TimeToSuccessUS, f.Scenario}
	}
}

// callsPerSuccess are the commands of all decisions on a server over the successes; nil where nobody counted them,
// clients do not react, or nothing succeeded.
func callsPerSuccess(row *report.Row) *float64 {
	if row.RedisCallsPerDecision == nil || row.Clients == nil || row.Clients.Succeeded == 0 {
		return nil
	}
	each := *row.RedisCallsPerDecision * float64(row.Offered) / float64(row.Clients.Succeeded)
	return &each
}

// missingInWords says how much of an exact limiter's goodput a run is missing.
func (s *Served) missingInWords(most float64) string {
	return fmt.Sprintf("its clients get %s a second done, those of an exact limiter %s: %s%% less, more than %s",
		trimmed(s.GoodputPerSecond, 2), trimmed(s.ExactGoodputPerSecond, 2), beyond(s.missing(), most, 100, 1),
		given(most))
}

// reacts reports whether clients react in all of the traffic, and in any of it.
func (d *Document) reacts() (all, any bool) {
	all = true
	for _, t := range d.Traffic {
		all, any = all && t.Reacts, any || t.Reacts
	}
	return all, any
}

// clientColumns are those of clients that react.
func (d *Document) clientColumns() ([]sheet.Column, func(*Candidate) []string) {
	if _, any := d.reacts(); !any {
		return nil, func(*Candidate) []string { return nil }
	}
	columns := []sheet.Column{{Name: "goodput\na second"}, {Name: "tries a\nsuccess"}, {Name: "p99 to\nsuccess",
		Leaves: 1}}
	return columns, func(c *Candidate) []string {
		return []string{c.Goodput.text(func(v float64) string { return trimmed(v, 2) }),
			c.Amplification.text(func(v float64) string { return trimmed(v, 2) }),
			c.TimeToSuccessUS.text(func(v float64) string { return sheet.Span(int64(v)) })}
	}
}

// whileClientsReact is what a reader of such figures must know.
const whileClientsReact = "clients react: each row has its own requests, and no excess or shortfall of these is " +
	"compared; the shortfall is that of the goodput, against the same clients of an exact limiter"

// whenReacting is how soon a column leaves a narrow table in which clients have theirs; it stays in others.
func (d *Document) whenReacting(leaves int) int {
	if _, any := d.reacts(); any {
		return leaves
	}
	return 0
}
