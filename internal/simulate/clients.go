package simulate

import (
	"fmt"
	"slices"
	"time"

	"ratelab/internal/clients"
	"ratelab/internal/limit"
	"ratelab/internal/measure"
	"ratelab/internal/report"
)

// finish leaves what the row is to say, once everything has been played.
func (c *contender) finish(p *contest, duration time.Duration) {
	byClient := c.entry.ClientTime
	c.wrongClock = slices.ContainsFunc(c.played.Journal.Requests, func(q limit.Request) bool {
		return q.ServerSkewUS != 0 || byClient && q.ClientSkewUS != 0
	})
	c.completes = append(c.completes, func(row *report.Row) {
		if groups := p.Scenario.Clients; groups != nil {
			row.Clients = c.clients(groups, duration)
		}
		row.ClockEffect = c.effect
		if c.sequence != nil {
			c.addSequence(row)
		}
		if c.flag != nil {
			c.addLocalFlag(row)
		}
	})
}

func groupNames(p *contest) []string {
	var names []string
	for _, g := range p.Scenario.Clients {
		names = append(names, g.Name)
	}
	return names
}

// clientNotes say what the figures of a run whose clients react are measured against, and who decided.
func clientNotes(p *contest, b *backend) []string {
	var notes []string
	switch {
	case slices.ContainsFunc(p.Scenario.Clients, retries):
		notes = append(notes, "clients try again: each row has its own requests, against which its excess and "+
			"shortfall "+
			"are measured")
	case slices.ContainsFunc(p.Scenario.Clients, delayed):
		notes = append(notes, "requests travel: each row has those that arrived before the end, in the order of "+
			"their arrival, against which its excess and shortfall are measured")
	}
	if len(b.servers) == 0 {
		return append(notes, "the Go models decided; no script on a server confirmed them")
	}
	notes = append(notes, "the Go models decided while the clients reacted; the scripts on the server then gave the "+
		"same answers to the same requests")
	if p.sequences != nil {
		notes = append(notes, fmt.Sprintf("sequences of commands ran on a model of the server in virtual time; the "+
			"server then gave the same replies to the same commands, the first %d of each at the most", mostConfirmed))
	}
	return notes
}

func delayed(g clients.Group) bool { return g.DelayUS != clients.Range{} }

func retries(g clients.Group) bool { return g.OnReject != clients.GiveUp }

// clients is how the row's clients fared, for the document.
func (c *contender) clients(groups []clients.Group, duration time.Duration) *measure.Clients {
	f := &c.played.Clients
	r := &measure.Clients{
		Operations: f.Operations, Succeeded: f.Succeeded, GaveUp: f.GaveUp, Unfinished: f.Unfinished,
		Attempts:        f.Attempts,
		TimeToSuccessUS: percentiles(f.TimesUS), Lockstep: f.Lockstep,
	}
	if duration > 0 {
		r.GoodputPerSecond = float64(f.SucceededCost) / duration.Seconds()
	}
	if f.Succeeded > 0 {
		each := float64(f.Attempts) / float64(f.Succeeded)
		r.Amplification = &each
	}
	if f.Retries > 0 {
		r.LockstepShare = float64(f.InStep) / float64(f.Retries)
	}
	if c.model != nil {
		if truth := c.model.RetryAfter(); truth != nil {
			r.RetryAfter = &measure.RetryAfter{Checked: truth.Checked, True: truth.True, TooEarly: truth.TooEarly,
				TooLate: truth.TooLate}
		}
	}
	for i, g := range groups {
		of := f.Groups[i]
		r.Groups = append(r.Groups, measure.ClientGroup{
			Name: g.Name, Operations: of.Operations, Succeeded: of.Succeeded, GaveUp: of.GaveUp, Attempts: of.Attempts,
			TimeToSuccessUS: percentiles(of.TimesUS),
		})
	}
	return r
}

// percentiles of ascending values; nil where there are none.
func percentiles(values []int64) *measure.Percentiles {
	if len(values) == 0 {
		return nil
	}
	at := func(p int) int64 { return clients.Percentile(values, p) }
	return &measure.Percentiles{P50: at(50), P90: at(90), P99: at(99), Max: at(100)}
}
