package cost

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"ratelab/internal/callgrind"
	"ratelab/internal/costresult"
	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/redisserver"
	"ratelab/internal/result"
	"ratelab/internal/serverstats"
)

// perDecision is more than a decision takes under callgrind.
const perDecision = 800 * time.Microsecond

// attempts are how often a path is counted anew whose requests came too late.
const attempts = 20

// How long before its instant a path is prepared: at first, and at the most.
const (
	leastLead = 100 * time.Millisecond
	mostLead  = 20 * time.Second
)

// errLate ends an attempt whose state is no longer what it says.
var errLate = errors.New("the machine was too slow for it")

// countPath counts one path, or notes why there is none.
func (r *run) countPath(ctx context.Context, to *costresult.Row, e *lineup.Entry, state string) error {
	if r.Progress != nil {
		r.Progress(fmt.Sprintf("%s, %s at %v", e.Label, state, e.Policy), r.done, r.total)
	}
	r.done++
	s := situationOf(e)
	p := s.path(state)
	if state == costresult.FullLog {
		logs, err := r.stage.keepsLog(ctx, e, r.Now())
		if err != nil {
			return fmt.Errorf("%s: %w", e.Label, err)
		}
		if !logs {
			p.missing = "it keeps no log"
		}
	}
	counted, err := r.repeat(ctx, s, &p)
	switch {
	case err != nil:
		return r.named(err, e, state)
	case p.missing != "":
		of := result.LimitOf(e.Policy)
		to.Missing = append(to.Missing, costresult.Missing{State: state, Limit: &of, Reason: p.missing})
		return nil
	}
	counted.State, counted.Limit, counted.RatioToControl = state, result.LimitOf(e.Policy), 1
	if len(r.doc.Rows) > 1 {
		counted.RatioToControl = counted.Instructions / r.doc.Rows[0].Paths[0].Instructions
	}
	to.Paths = append(to.Paths, *counted)
	return nil
}

// repeat counts a path, again where the machine was too slow for the server's clock.
func (r *run) repeat(ctx context.Context, s situation, p *path) (*costresult.Path, error) {
	for late := 0; ; {
		found, counts, n, err := r.attempt(ctx, s, p, late)
		if p.missing != "" {
			return nil, nil
		}
		var wrong *WrongPath
		switch again := errors.As(err, &wrong) && s.clocked || errors.Is(err, errLate); {
		case again && late < attempts:
			late++
			continue
		case err != nil:
			return nil, err
		}
		return figures(counts, n, found), nil
	}
}

// named completes an error of a path.
func (r *run) named(err error, e *lineup.Entry, state string) error {
	var wrong *WrongPath
	switch {
	case errors.As(err, &wrong):
		wrong.State, wrong.Limit = state, e.Policy
		return wrong
	case errors.Is(err, context.Canceled):
		return cmp.Or(stopped(r.Stop), err)
	}
	return fmt.Errorf("%s, %s at %v: %w", e.Label, state, e.Policy, err)
}

func stopped(stop <-chan struct{}) error {
	select {
	case <-stop:
		return errStopped
	default:
		return nil
	}
}

// attempt counts a path once. It is nil, with p.missing set, where there turns out to be none.
func (r *run) attempt(ctx context.Context, s situation, p *path, try int) (found *scene, counts callgrind.Counts,
	n int, err error) {
	began := r.Now()
	lead := min(r.lead+r.lead*time.Duration(try)/4, mostLead)
	at := s.instant(began.Add(lead), p.late)
	if found, err = r.stage.make(ctx, s.Entry, p, at); err != nil || p.missing != "" {
		return nil, counts, 0, err
	}
	if verdict := found.soon[0].Verdict; verdict != p.verdict {
		p.missing = reasonFor(p.verdict)
		return nil, counts, 0, nil
	}
	keys := max(1, p.keys>>(try/3))
	counted, measured, err := r.setUp(ctx, s.Entry, keys, found, at)
	if err != nil {
		return nil, counts, 0, err
	}
	defer func() { err = errors.Join(err, counted.close(ctx), measured.close(ctx), r.clear(ctx)) }()
	r.lead = max(leastLead, min(mostLead, (r.lead+2*r.Now().Sub(began))/2))
	counts, err = r.count(ctx, s, p, found, counted, measured, at)
	return found, counts, len(p.costs) * keys, err
}

func reasonFor(want limit.Verdict) string {
	if want == limit.Rejected {
		return "it never rejects"
	}
	return "it rejects such a request"
}

// setUp puts copies of a state onto both servers.
func (r *run) setUp(ctx context.Context, e *lineup.Entry, keys int, found *scene, at time.Time) (counted,
	measured *copies, err error) {
	if err := r.stage.Client.FlushAll(ctx).Err(); err != nil {
		return nil, nil, err
	}
	program := e.Program.InKeyspace(r.counted.Prefix)
	if measured, err = setUp(ctx, r.stage.Client, e.Label, program, 1, found, at); err != nil {
		return nil, nil, err
	}
	counted, err = setUp(ctx, r.counted.Client, e.Label, program, keys, found, at)
	if err != nil {
		return nil, nil, err
	}
	if err := r.tidy(ctx); err != nil {
		return nil, nil, err
	}
	size, err := r.counted.Client.DBSize(ctx).Result()
	if err == nil && len(found.keys) > 0 && size != int64(furniture+keys*len(found.keys)) {
		err = errLate // what has expired before it came is not there
	}
	return counted, measured, err
}

// tidy has the server's Lua collect its garbage, so that each count begins where the last began in the collector's
// work: that is a hundredth of a decision's.
func (r *run) tidy(ctx context.Context) error {
	err := r.counted.Client.Eval(ctx, "collectgarbage('collect') return 1", nil).Err()
	return redisserver.Explain(err, r.counted.Server)
}

// count asks on both servers, when the path's instant has come: one counts instructions, the other what goes to a
// replica.
func (r *run) count(ctx context.Context, s situation, p *path, found *scene, counted, measured *copies,
	at time.Time) (callgrind.Counts, error) {
	few := min(len(p.costs), mostMeasured)
	before, err := r.stage.replicated.Bytes(ctx)
	if err == nil {
		err = r.until(ctx, at.Add(-2*markTime)) // what the server does by itself meanwhile is not to be counted
	}
	if err != nil {
		return callgrind.Counts{}, err
	}
	counts, err := r.counted.Count(ctx, func() error {
		if r.Now().After(at) {
			return errLate
		}
		if err := r.until(ctx, at); err != nil {
			return err
		}
		if err := measured.ask(ctx, p.costs[:few], found); err != nil {
			return err
		}
		return counted.ask(ctx, p.costs, found)
	})
	if err != nil {
		return counts, err
	}
	if s.clocked && r.Now().After(at.Add(p.late+markTime)) {
		return counts, errLate
	}
	return counts, r.stage.weigh(ctx, before, few, measured, found)
}

// markTime is what callgrind takes to write down a part.
const markTime = 30 * time.Millisecond

func figures(c callgrind.Counts, n int, found *scene) *costresult.Path {
	p := &costresult.Path{Decisions: n, Instructions: float64(c.Instructions) / float64(n), Commands: found.commands,
		ReplicatedBytes: found.replicated, BytesPerKey: found.bytesPerKey}
	if c.Allocations > 0 {
		each := float64(c.Allocations) / float64(n)
		p.Allocations = &each
	}
	return p
}

// youngMS is how much of the server's second has passed at an instant: steady requests of ten a second, and a burst
// of ten but for one, lie within it.
const youngMS = 305

// instant is the first at which a path may be, not before a time: all its requests lie within a tenth of a window
// on the clock. Where the server's clock decides, its second is young, so that they, and a burst at 10/1s but for
// one, lie within that, too: some scripts go by whole seconds.
func (s situation) instant(earliest time.Time, late time.Duration) time.Time {
	at := earliest.Truncate(time.Millisecond)
	for !s.fits(at, late) {
		at = at.Add(time.Millisecond)
	}
	return at
}

func (s situation) fits(at time.Time, late time.Duration) bool {
	ms := at.UnixMilli() % 1000
	if s.clocked && ms != youngMS {
		return false
	}
	part := s.Policy.WindowUS() / 10
	return part == 0 || at.UnixMicro()%part+late.Microseconds() <= part
}

// until waits, in the end without letting go of the processor.
func (r *run) until(ctx context.Context, at time.Time) error {
	const spun = 2 * time.Millisecond
	if rest := at.Sub(r.Now()); rest > spun {
		if err := r.Sleep(ctx, rest-spun); err != nil {
			return err
		}
	}
	for r.Now().Before(at) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// furniture are so many keys that stay on the counted server, so that its tables of keys never grow or shrink while
// something is counted: rehashing would be.
const furniture = 1100

const furnish = `
for i = 1, tonumber(ARGV[1]) do redis.call('SET', 'furniture:' .. i, i, 'EX', 1000000) end
for i = 1, 3000 do redis.call('EXISTS', 'furniture:' .. i) end`

func (r *run) furnish(ctx context.Context) error {
	if err := keepExpired(ctx, r.counted.Client); err != nil {
		return err
	}
	err := r.counted.Client.Eval(ctx, furnish, nil, furniture).Err()
	if err != nil && err.Error() == "redis: nil" {
		err = nil
	}
	return err
}

// warm gives a script a Lua of its own, whose garbage is no other script's, and lets it decide until that has what it
// keeps.
func (r *run) warm(ctx context.Context, e *lineup.Entry) error {
	const calls = 300
	if err := r.counted.Client.ScriptFlush(ctx).Err(); err != nil {
		return err
	}
	at := r.Now()
	c, err := setUp(ctx, r.counted.Client, e.Label, e.Program.InKeyspace(r.counted.Prefix), calls, &scene{}, at)
	if err != nil {
		return err
	}
	for _, key := range c.keys {
		if _, err := c.calls.Call(ctx, limit.Request{Key: key, Cost: 1}); err != nil {
			return err
		}
	}
	return errors.Join(c.close(ctx), r.clear(ctx))
}

// clear deletes the copies on the counted server.
func (r *run) clear(ctx context.Context) error {
	_, err := serverstats.Delete(context.WithoutCancel(ctx), r.counted.Client, r.counted.Prefix)
	return err
}
