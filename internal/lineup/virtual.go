package lineup

import (
	"context"

	"ratelab/internal/limit"
	"ratelab/internal/redisserver"
	"ratelab/internal/replay"
	"ratelab/internal/virtualtime"
)

// Virtual decides by an entry's script in virtual time, on a server. Its errors name the entry, and speak of the
// server's connection in our words.
type Virtual struct {
	*virtualtime.Runner
	Entry *Entry
	Watch *Watch
	// OthersToo asks for memory on a server that others use, too. It may take the user's leave to ask.
	OthersToo bool

	decider replay.Decider // the runner, with what is before and around it
}

// On prepares the entry for virtual time on the server that is watched.
func (e *Entry) On(ctx context.Context, w *Watch, times Times, clock replay.Clock) (*Virtual, error) {
	runner, err := Runner(ctx, w.Server(), e.Program, times, 0, clock)
	if err != nil {
		return nil, err
	}
	return &Virtual{Runner: runner, Entry: e, Watch: w, decider: e.Balanced(w.Explaining(runner))}, nil
}

// Decide decides a batch.
func (v *Virtual) Decide(ctx context.Context, requests []limit.Request, decisions []limit.Decision) error {
	return v.decider.Decide(ctx, requests, decisions)
}

// Left counts what the script has left at a time. Memory is that of a real server that nobody else uses, unless
// OthersToo: an embedded one invents its answer.
func (v *Virtual) Left(ctx context.Context, atUS int64) (virtualtime.Left, error) {
	s := v.Watch.Server()
	left, err := v.Runner.Left(ctx, atUS, (s.Own || v.OthersToo) && s.Kind != redisserver.KindEmbedded)
	return left, v.named(ctx, err)
}

// Close deletes what the script has left.
func (v *Virtual) Close(ctx context.Context) error { return v.named(ctx, v.Runner.Close(ctx)) }

// named names the entry in an error of the server.
func (v *Virtual) named(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	return &replay.LaneError{Label: v.Entry.Label, Err: v.Watch.Explain(ctx, err)}
}

// Spent is what decisions took.
type Spent struct {
	Calls virtualtime.Calls
	Left  virtualtime.Left
}

// Plus is both together.
func (s Spent) Plus(o Spent) Spent {
	return Spent{
		Calls: s.Calls.Plus(o.Calls),
		Left: virtualtime.Left{Keys: s.Left.Keys + o.Left.Keys, WithoutTTL: s.Left.WithoutTTL + o.Left.WithoutTTL,
			Bytes: s.Left.Bytes + o.Left.Bytes},
	}
}

// CallsPerDecision is nil where nothing was decided.
func (s Spent) CallsPerDecision() *float64 { return each(s.Calls.Total, s.Calls.Decisions) }

// CallsPerAdmitted is what an admitted decision took on average; nil where there is none.
func (s Spent) CallsPerAdmitted() *float64 { return each(s.Calls.Admitting, s.Calls.Admitted) }

// CallsPerRejected is what a rejected one took; nil where there is none.
func (s Spent) CallsPerRejected() *float64 { return each(s.Calls.Rejecting, s.Calls.Rejected) }

// TripsPerDecision is one for a script; nil where nothing was decided.
func (s Spent) TripsPerDecision() *float64 { return each(s.Calls.Decisions, s.Calls.Decisions) }

// BytesPerKey is nil where no server says how much memory a key takes.
func (s Spent) BytesPerKey() *float64 {
	if s.Left.Bytes == 0 {
		return nil
	}
	return each(s.Left.Bytes, s.Left.Keys)
}

func each(n, of int64) *float64 {
	if of <= 0 {
		return nil
	}
	share := float64(n) / float64(of)
	return &share
}
