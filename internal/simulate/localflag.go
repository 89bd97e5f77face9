package simulate

import (
	"context"
	"slices"
	"strings"

	"ratelab/algorithms"
	"ratelab/internal/clients"
	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/localflag"
	"ratelab/internal/measure"
	"ratelab/internal/replay"
	"ratelab/internal/report"
	"ratelab/internal/scenario"
	"ratelab/internal/sequence"
)

// Rows of the same algorithms whose clients remember that they are over the limit.

// hasLocalFlag reports whether any group of clients has a flag.
func hasLocalFlag(s *scenario.Scenario) bool {
	return slices.ContainsFunc(s.Clients, func(g clients.Group) bool { return g.LocalFlag })
}

// withLocalFlag is c as the row of the clients that remember, whose keys are its own.
func withLocalFlag(c *lineup.Entry) *lineup.Entry {
	flagged := *c
	flagged.Label += scenario.LocalFlagSuffix
	flagged.Program = c.Program.InKeyspace("local-flag:")
	return &flagged
}

// remember gives the clients of a row that has a model their flags.
func (c *contender) remember(p *contest) {
	c.flag = localflag.New(c.protocol, c.model, p.Scenario.ServerClock)
	c.protocol = c.flag
}

// behindFlag lets inner decide what the server was behindFlag, and takes from the journal what the clients decided
// themselves.
type behindFlag struct {
	inner   replay.Decider
	journal clients.Journal
	place   int
}

// Decide gives inner's errors.
func (a *behindFlag) Decide(ctx context.Context, requests []limit.Request, decisions []limit.Decision) error {
	var sent []limit.Request
	for i, q := range requests {
		if !a.journal.Unasked[a.place+i] {
			sent = append(sent, q)
		}
	}
	answers := make([]limit.Decision, len(sent))
	if err := a.inner.Decide(ctx, sent, answers); err != nil {
		return err
	}
	for i := range requests {
		if a.journal.Unasked[a.place] {
			decisions[i] = a.journal.Decisions[a.place]
		} else {
			decisions[i], answers = answers[0], answers[1:]
		}
		a.place++
	}
	return nil
}

// addLocalFlag completes the row of clients that remember.
func (c *contender) addLocalFlag(row *report.Row) {
	f := c.flag.Figures()
	row.LocalFlag = &measure.LocalFlag{LocalRejects: f.LocalRejects, WrongRejects: f.WrongRejects}
	if row.Offered > 0 {
		trips := float64(row.Offered-f.LocalRejects) / float64(row.Offered)
		row.RoundTripsPerDecision = &trips
	}
}

// rowLabel is the label of the row that a scenario's file means: the one spelling of its parameters.
func rowLabel(label string) string {
	base, flagged := strings.CutSuffix(label, scenario.LocalFlagSuffix)
	if c, err := algorithms.Parse(base); err == nil {
		label = c.Label
	} else if c, err := sequence.Parse(base); err == nil {
		label = c.Label
	} else {
		return label // of a user's script
	}
	if flagged {
		label += scenario.LocalFlagSuffix
	}
	return label
}
