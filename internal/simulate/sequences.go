package simulate

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"ratelab/internal/lineup"
	"ratelab/internal/measure"
	"ratelab/internal/replay"
	"ratelab/internal/report"
	"ratelab/internal/sequence"
	"ratelab/scenarios"
)

// Rows of sequences of commands, which the clients of a scenario play beside the scripts.

// sequences resolves what a scenario names; a label of a script must not be one of them.
func (p *planner) sequences(s *scenarios.Scenario, rows []*lineup.Entry) []sequence.Choice {
	var all []sequence.Choice
	for _, label := range s.Sequences {
		c, err := sequence.Parse(label)
		if err != nil {
			p.Bad(fmt.Errorf("%s: sequences: %w", s.Name, err))
			continue
		}
		if lineup.Labelled(rows, c.Label) || findSequence(all, c.Label) {
			p.Bad(fmt.Errorf("%s: sequences: there would be two rows named %q", s.Name, c.Label))
		}
		all = append(all, c)
	}
	return all
}

func findSequence(all []sequence.Choice, label string) bool {
	for _, c := range all {
		if c.Label == label {
			return true
		}
	}
	return false
}

// namesSequence reports whether label is one of the scenario's sequences, however it is written.
func namesSequence(s *scenarios.Scenario, label string) bool {
	wanted, err := sequence.Parse(label)
	if err != nil {
		return false
	}
	for _, other := range s.Sequences {
		if c, err := sequence.Parse(other); err == nil && c.Label == wanted.Label {
			return true
		}
	}
	return false
}

// sequenceContender prepares the row of a sequence. Its server is in memory; the real one confirms it.
func (b *backend) sequenceContender(p *contest, choice sequence.Choice, number int) *contender {
	play := sequence.New(choice, p.Policy, p.Scenario.Start, p.Seed)
	c := &contender{
		lane:     &lane{entry: &lineup.Entry{Label: choice.Label, Parameters: choice.Parameters()}, means: model{}},
		protocol: play, server: play, sequence: play,
	}
	if len(b.servers) > 0 {
		c.watch = b.watch(number)
	}
	return c
}

// mostConfirmed is how many commands of a sequence are sent again: on the embedded server one takes most of a
// millisecond, and what a server answers otherwise it does so early.
const mostConfirmed = 5000

// confirmCommands sends what a sequence's clients sent to the real server, where there is one, and wants the same
// replies. The row is partial where somebody ended the job before all of them were there.
func (c *contender) confirmCommands(ctx context.Context, row *replay.Outcome, stop <-chan struct{}) error {
	if c.sequence == nil || c.watch == nil {
		return nil
	}
	// Deadlines are placed after the server's own clock, which need not be ours.
	server := c.watch.Server()
	now, err := server.Client.Time(ctx).Result()
	if err == nil {
		client := server.NewClient(1)
		defer client.Close()
		calls := c.sequence.Calls()
		err = sequence.Confirm(ctx, client, !server.Own, server.Prefix, calls[:min(len(calls), mostConfirmed)], now, stop)
	}
	if errors.Is(err, sequence.ErrStopped) {
		row.Partial = true
		return nil
	}
	var difference *sequence.DifferenceError
	if errors.As(err, &difference) {
		err = cmp.Or(c.watch.Check(ctx), err) // a server that was emptied has another answer, too
	} else if err != nil {
		server.LeftKeys()
		err = c.watch.Explain(ctx, err)
	}
	if err != nil {
		return &replay.LaneError{Label: c.entry.Label, Err: err}
	}
	return nil
}

// addSequence completes a sequence's row.
func (c *contender) addSequence(row *report.Row) {
	play := c.sequence
	f := play.Figures()
	row.Race = &measure.Race{
		Commands: f.Commands, RaceAdmits: f.RaceAdmits, RaceRejects: f.RaceRejects, LockWaits: f.LockWaits, LockLosses: f.LockLosses,
	}
	keys, withoutTTL := play.Left(c.lastUS)
	row.KeysLeft, row.KeysWithoutTTL = &keys, &withoutTTL
	if row.Offered > 0 {
		trips := float64(f.Commands) / float64(row.Offered)
		row.RoundTripsPerDecision = &trips
	}
}
