package lineup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/redisserver"
	"ratelab/internal/replay"
	"ratelab/internal/virtualtime"
)

// Watch notices what others do to a server during a run, and words what was lost.
type Watch struct {
	server *redisserver.Server
	before redisserver.Vitals
	known  bool // that, from INFO
}

// NewWatch begins to watch. A server that does not tell of itself is watched by its keys alone.
func NewWatch(ctx context.Context, s *redisserver.Server) *Watch {
	w := &Watch{server: s}
	w.before, w.known = s.Vitals(ctx)
	return w
}

// LostError says that a server lost keys in the middle of a run, why as far as it is known, and what to do.
type LostError struct {
	What, Cause, Remedy string
}

func (e *LostError) Error() string {
	return fmt.Sprintf("%s: %s; no figure of the run holds: %s", e.What, e.Cause, e.Remedy)
}

// Check fails with a *LostError where the server has been restarted or has evicted keys since the watch began: even if
// none of them was ours, they were somebody's.
func (w *Watch) Check(ctx context.Context) error {
	if cause, remedy := w.cause(ctx); cause != "" {
		return &LostError{w.server.String(), cause, remedy}
	}
	return nil
}

// cause is what has happened to the server since the watch began; "" where it knows nothing.
func (w *Watch) cause(ctx context.Context) (cause, remedy string) {
	now, known := w.server.Vitals(ctx)
	if !known || !w.known {
		return "", ""
	}
	evicted := now.EvictedKeys - w.before.EvictedKeys
	if evicted < 0 {
		evicted = now.EvictedKeys // somebody has set the count back
	}
	switch {
	case now.RunID != w.before.RunID:
		return "it was restarted in the middle, or another server took its place", "repeat it on one that stays"
	case evicted > 0:
		return fmt.Sprintf("it evicted %d keys in the middle, because its memory was full (%s)", evicted, now.Memory),
			"repeat it with more maxmemory, or with the policy noeviction"
	}
	return "", ""
}

// Explain puts an error of a call into our words, as redisserver.Explain does, and says of keys that were lost by whom.
// What the script is to blame for stays as it is.
func (w *Watch) Explain(ctx context.Context, err error) error {
	var call *virtualtime.CallError
	var compile *virtualtime.CompileError
	var lost *virtualtime.LostError
	var said *LostError
	switch {
	case errors.As(err, &said):
		return err
	case errors.As(err, &lost):
		return w.word(context.WithoutCancel(ctx), lost.Error(), lost.Stood)
	case errors.Is(err, virtualtime.ErrLost):
		if cause, remedy := w.cause(context.WithoutCancel(ctx)); cause != "" {
			return &LostError{"the server lost its scripts", cause, remedy}
		}
		return err
	case errors.As(err, &call):
		return cmp.Or(redisserver.ExplainText(call.Text, w.server), err)
	case errors.As(err, &compile):
		return err
	}
	return redisserver.Explain(err, w.server)
}

// Server is the one that is watched.
func (w *Watch) Server() *redisserver.Server { return w.server }

// Explaining decides as d does, and puts the errors of the server's connection into our words.
func (w *Watch) Explaining(d replay.Decider) replay.Decider { return explaining{d, w} }

type explaining struct {
	replay.Decider
	watch *Watch
}

// Decide decides a batch.
func (e explaining) Decide(ctx context.Context, requests []limit.Request, decisions []limit.Decision) error {
	err := e.Decider.Decide(ctx, requests, decisions)
	if err == nil || errors.Is(err, replay.ErrStopped) {
		return err
	}
	return e.watch.Explain(ctx, err)
}

// Gone is the error for keys that were seen to be gone without a runner.
func (w *Watch) Gone(ctx context.Context) error {
	return w.word(context.WithoutCancel(ctx), (&virtualtime.LostError{}).Error(), 0)
}

// word gives lost keys their cause.
func (w *Watch) word(ctx context.Context, what string, stood time.Duration) error {
	cause, remedy := w.cause(ctx)
	switch {
	case cause != "":
	case stood > 0:
		cause = fmt.Sprintf("they expired while this process stood still for %s; they live %s without it",
			limit.FormatDuration(stood.Round(time.Second)), limit.FormatDuration(virtualtime.Margin))
		remedy = "repeat it without a stop"
	default:
		cause = "somebody else removed them (FLUSHALL, FLUSHDB or DEL?), or the server's clock was set forward"
		remedy = "repeat it on a server that nobody clears meanwhile"
	}
	return &LostError{what, cause, remedy}
}
