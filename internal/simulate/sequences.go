package simulate

import (
	"cmp"
	"context"
	"errors"

	"ratelab/internal/lineup"
	"ratelab/internal/measure"
	"ratelab/internal/replay"
	"ratelab/internal/report"
	"ratelab/internal/sequence"
)

// Rows of sequences of commands, which the clients of a scenario play beside the scripts.

// sequenceContender prepares the row of a sequence. Its server is in memory; the real one confirms it.
func (b *backend) sequenceContender(p *contest, choice sequence.Choice, number int) *contender {
	play := sequence.New(choice, p.Policy, p.Scenario.Start, p.Seed)
	c := &contender{
		lane: &lane{entry: &lineup.Entry{Label: choice.Label, Parameters: choice.Parameters()}, means: model{},
			keys: play.Keys},
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
		err = sequence.Confirm(ctx, client, !server.Own, server.Prefix, calls[:min(len(calls), mostConfirmed)], now,
			stop)
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
		Commands: f.Commands, RaceAdmits: f.RaceAdmits, RaceRejects: f.RaceRejects, LockWaits: f.LockWaits,
		LockLosses: f.LockLosses, Crashes: f.Crashes, LockedOutUS: play.LockedOutUS(c.lastUS), QueuePeak: f.QueuePeak,
		Trimmed: f.Trimmed, TrimmedNeedlessly: f.TrimmedNeedlessly, QueueLost: f.QueueLost, QueueKept: f.QueueKept,
	}
	keys, withoutTTL := play.Left(c.lastUS)
	row.KeysLeft, row.KeysWithoutTTL = &keys, &withoutTTL
	if row.Offered > 0 {
		trips := float64(f.Commands) / float64(row.Offered)
		row.RoundTripsPerDecision = &trips
	}
}
