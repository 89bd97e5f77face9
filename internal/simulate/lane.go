package simulate

import (
	"context"

	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/measure"
	"ratelab/internal/replay"
	"ratelab/internal/report"
	"ratelab/internal/virtualtime"
)

// lane is one entry on its way through one scenario.
type lane struct {
	entry     *lineup.Entry
	decider   replay.Decider
	another   func() replay.Decider // as that of replay.Lane
	observers []observer
	means     means
	traffic   *measure.Traffic // that reached this lane, where it is not the same for all

	// wrongClock: the clock that the rule goes by was off at some request, so that its bound speaks of other intervals
	// than the figures do.
	wrongClock bool
	completes  []func(*report.Row) // add what only this kind of run knows

	// keys counts those on the server at the end of each of so many buckets; nil where nobody knows.
	keys func(bucketUS int64, buckets int) []int64
}

// means are what decides a lane: a model, a script in virtual time, or one on the wall clock. Errors name the lane.
type means interface {
	// survey looks at what is left at the time of the last request, and fails where it is not all that ought to be
	// there.
	survey(ctx context.Context, lastUS int64) error
	// complete adds to the row what its decisions took.
	complete(row *report.Row)
	// close deletes what is left; where that fails the server's next run has to do it.
	close(ctx context.Context) error
}

// model leaves nothing anywhere.
type model struct{}

func (model) survey(context.Context, int64) error { return nil }
func (model) complete(*report.Row)                {}
func (model) close(context.Context) error         { return nil }

// scripted is a script in virtual time on a server.
type scripted struct {
	*lineup.Virtual
	left virtualtime.Left
}

func (s *scripted) survey(ctx context.Context, lastUS int64) (err error) {
	s.left, err = s.Left(ctx, lastUS)
	return err
}

func (s *scripted) complete(row *report.Row) {
	spent := lineup.Spent{Calls: s.Calls(), Left: s.left}
	row.KeysLeft, row.KeysWithoutTTL = &s.left.Keys, &s.left.WithoutTTL
	row.RedisCallsPerDecision, row.RoundTripsPerDecision = spent.CallsPerDecision(), spent.TripsPerDecision()
	row.RedisCallsPerAdmitted, row.RedisCallsPerRejected = spent.CallsPerAdmitted(), spent.CallsPerRejected()
	row.BytesPerKey = spent.BytesPerKey()
}

func (s *scripted) close(ctx context.Context) error {
	err := s.Close(ctx)
	if err != nil {
		s.Watch.Server().LeftKeys()
	}
	return err
}

// observer sees every batch of a lane once it is decided.
type observer func([]limit.Request, []limit.Decision) error

func (l *lane) observe(requests []limit.Request, decisions []limit.Decision) error {
	for _, o := range l.observers {
		if err := o(requests, decisions); err != nil {
			return err
		}
	}
	return nil
}
