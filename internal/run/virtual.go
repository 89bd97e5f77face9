package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/redis"
	"ratelab/internal/replay"
	"ratelab/internal/result"
	"ratelab/internal/script"
	"ratelab/internal/virtualtime"
)

// Times are those of a run.
type Times struct {
	Start  time.Time     // where virtual time begins
	Behind time.Duration // how far behind that the server's clock steps at most
	Trial  bool          // the script's first run: see virtualtime.Options

	Stop <-chan struct{} // ends what is decided between two batches; nil: nothing does
}

// Runner prepares a program for virtual time, under the server's prefix. A batch of 0 finds its own size. The error is
// a *replay.InputError for a script that virtual time cannot follow, or the server's.
func Runner(ctx context.Context, s *redis.Server, program *script.Program, times Times, batch int,
	clock replay.Clock) (*virtualtime.Runner, error) {
	// Deadlines are placed after the server's own clock, which need not be ours.
	serverNow, err := s.Client.Time(ctx).Result()
	if err != nil {
		return nil, redis.Explain(err, s)
	}
	began := clock.Now()
	runner, err := virtualtime.New(
		virtualtime.Server{Client: s.Client, Given: !s.Own, Embedded: s.Kind == redis.KindEmbedded},
		program.InKeyspace(s.Prefix),
		virtualtime.Options{Start: times.Start, Behind: times.Behind, Real: serverNow, Trial: times.Trial,
			Elapsed: func() time.Duration { return clock.Now().Sub(began) }, BatchSize: batch, Stop: times.Stop})
	var refused *virtualtime.RefusedError
	if errors.As(err, &refused) {
		err = replay.Invalid("%s: %w", program.Label, err)
	}
	return runner, err
}

// Virtual decides by a limiter's script in virtual time, on a server. Its errors speak of the server's connection in
// our words.
type Virtual struct {
	*virtualtime.Runner
	Limiter *Limiter
	Server  *redis.Server

	route   func(key string) string // of several gateways; nil: there is one
	routed  []limit.Request         // as the gateways see them
	left    virtualtime.Left
	counted bool // left is
}

// On prepares the limiter for virtual time on the server.
func (l *Limiter) On(ctx context.Context, s *redis.Server, times Times, clock replay.Clock) (*Virtual, error) {
	runner, err := Runner(ctx, s, l.Program, times, 0, clock)
	if err != nil {
		return nil, err
	}
	v := &Virtual{Runner: runner, Limiter: l, Server: s}
	if l.Gateways != nil {
		v.route = l.Route(0)
	}
	return v, nil
}

// Decide decides a batch. The error is replay.ErrStopped where it was told to stop, and a *replay.InputError where a
// user's script is to blame, on a server of ours: that it loops, or has ended its server.
func (v *Virtual) Decide(ctx context.Context, requests []limit.Request, decisions []limit.Decision) error {
	if v.route != nil {
		v.routed = append(v.routed[:0], requests...)
		for i := range v.routed {
			v.routed[i].Key = v.route(v.routed[i].Key)
		}
		requests = v.routed
	}
	err := v.Runner.Decide(ctx, requests, decisions)
	mine := v.Limiter.Program.Foreign && v.Server.Own
	var call *virtualtime.CallError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, virtualtime.ErrStopped):
		return replay.ErrStopped
	case mine && errors.As(err, &call):
	case mine && redis.TimedOut(err):
		return replay.Invalid("%s: no answer within %v: the script %w, or is far too slow", v.Limiter.File,
			redis.BatchTime, errLoops)
	case mine && v.Server.Bounded() && v.Server.Ended() != "":
		return replay.Invalid("%s: %s", v.Limiter.File, ended(v.Server, ScriptMemory))
	}
	return explain(err, v.Server)
}

// explain puts an error of a call on s into our words, as redis.Explain does. What a script is to blame for, and
// keys that were lost, stay as they are.
func explain(err error, s *redis.Server) error {
	var input *replay.InputError
	var compile *virtualtime.CompileError
	var lost *virtualtime.LostError
	var call *virtualtime.CallError
	switch {
	case errors.As(err, &input), errors.As(err, &compile), errors.As(err, &lost), errors.Is(err, virtualtime.ErrLost):
		return err
	case errors.As(err, &call):
		return cmp.Or(redis.ExplainText(call.Text, s), err)
	}
	return redis.Explain(err, s)
}

// Left counts what the script has left at a time. Memory is that of a real server: an embedded one invents its answer.
// The error is replay.ErrStopped where it was told to stop.
func (v *Virtual) Left(ctx context.Context, atUS int64) (virtualtime.Left, error) {
	left, err := v.Runner.Left(ctx, atUS, v.Server.Kind != redis.KindEmbedded)
	if errors.Is(err, virtualtime.ErrStopped) {
		return left, replay.ErrStopped
	}
	return left, v.named(err)
}

// Close deletes what the script has left.
func (v *Virtual) Close(ctx context.Context) error { return v.named(v.Runner.Close(ctx)) }

// named names the limiter in an error of the server.
func (v *Virtual) named(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", v.Limiter.Label, explain(err, v.Server))
}

// survey counts what is left at the time of the last request, and fails where it is not all that ought to be there. Of
// a model, which is nil, there is nothing to do here and below.
func (v *Virtual) survey(ctx context.Context, lastUS int64) error {
	if v == nil {
		return nil
	}
	left, err := v.Left(ctx, lastUS)
	if errors.Is(err, replay.ErrStopped) {
		return nil
	}
	v.left, v.counted = left, err == nil
	return err
}

// complete adds to the row what its decisions took.
func (v *Virtual) complete(row *result.Row) {
	if v == nil {
		return
	}
	if v.counted {
		row.KeysLeft, row.KeysWithoutTTL = &v.left.Keys, &v.left.WithoutTTL
	}
	calls := v.Calls()
	row.RedisCallsPerDecision = each(calls.Total, calls.Decisions)
	row.RoundTripsPerDecision = each(calls.Decisions, calls.Decisions)
	row.RedisCallsPerAdmitted = each(calls.Admitting, calls.Admitted)
	row.RedisCallsPerRejected = each(calls.Rejecting, calls.Rejected)
	if v.left.Bytes > 0 { // 0 where the server does not say how much memory a key takes
		row.BytesPerKey = each(v.left.Bytes, v.left.Keys)
	}
}

// errHangs is that of a server on which nothing can be deleted.
var errHangs = errors.New("the server does not answer")

// delete deletes what is left, until ctx is done.
func (v *Virtual) delete(ctx context.Context) error {
	switch {
	case v == nil:
		return nil
	case v.Server.Hangs():
		return errHangs
	}
	return v.Close(ctx)
}

// abandon leaves the keys to a server of ours, which ends with the run.
func (v *Virtual) abandon() {
	if v != nil && v.Unanswered() { // it may hang in the script
		v.Server.Abandon()
	}
}

// each is a share, nil of nothing.
func each(n, of int64) *float64 {
	if of <= 0 {
		return nil
	}
	share := float64(n) / float64(of)
	return &share
}
