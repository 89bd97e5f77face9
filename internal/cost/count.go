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
	"ratelab/internal/result"
	"ratelab/internal/serverstats"
)

// perDecision is more than a decision takes under callgrind.
const perDecision = 800 * time.Microsecond

// attempts are how often a path is counted anew whose requests came too late.
const attempts = 6

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
	var err error
	for try := range attempts {
		if p.missing != "" {
			break
		}
		var found *costresult.Path
		if found, err = r.attempt(ctx, s, &p, try); err == nil && found != nil {
			found.State, found.Limit = state, result.LimitOf(e.Policy)
			found.RatioToControl = 1
			if len(r.doc.Rows) > 1 {
				found.RatioToControl = found.Instructions / r.doc.Rows[0].Paths[0].Instructions
			}
			to.Paths = append(to.Paths, *found)
			return nil
		}
		var wrong *WrongPath
		if errors.As(err, &wrong) && s.clocked || errors.Is(err, errLate) {
			continue
		}
		if err != nil {
			break
		}
	}
	if p.missing != "" {
		of := result.LimitOf(e.Policy)
		to.Missing = append(to.Missing, costresult.Missing{State: state, Limit: &of, Reason: p.missing})
		return nil
	}
	return r.named(err, e, state)
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
func (r *run) attempt(ctx context.Context, s situation, p *path, try int) (*costresult.Path, error) {
	began := r.Now()
	lead := min(r.lead+r.lead*time.Duration(try)/2, mostLead)
	at := s.instant(began.Add(lead), p.late)
	found, err := r.stage.make(ctx, s.Entry, p, at)
	if err != nil || p.missing != "" {
		return nil, err
	}
	if verdict := found.soon[0].Verdict; verdict != p.verdict {
		p.missing = reasonFor(p.verdict)
		return nil, nil
	}
	keys := max(1, p.keys>>try)
	counted, measured, err := r.setUp(ctx, s.Entry, keys, found, at)
	if err != nil {
		return nil, err
	}
	defer r.clear(ctx)
	r.lead = max(leastLead, min(mostLead, (r.lead+2*r.Now().Sub(began))/2))
	return r.count(ctx, s, p, found, counted, measured, at)
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
	size, err := r.counted.Client.DBSize(ctx).Result()
	if err == nil && len(found.keys) > 0 && size != int64(furniture+keys*len(found.keys)) {
		err = errLate // what has expired before it came is not there
	}
	return counted, measured, err
}

// count asks on both servers, when the path's instant has come: one counts instructions, the other what goes to a
// replica. A stream's requests are asked on both in turn.
func (r *run) count(ctx context.Context, s situation, p *path, found *scene, counted, measured *copies,
	at time.Time) (*costresult.Path, error) {
	few := min(len(p.asks), mostMeasured)
	before, err := r.stage.replicated.Bytes(ctx)
	if err != nil {
		return nil, err
	}
	counts, err := r.counted.Count(ctx, func() error {
		if r.Now().After(at) {
			return errLate
		}
		if err := r.until(ctx, at); err != nil {
			return err
		}
		if p.paced {
			return r.stream(ctx, p, found, counted, measured, at)
		}
		if err := measured.ask(ctx, p.asks[:few], found); err != nil {
			return err
		}
		return counted.ask(ctx, p.asks, found)
	})
	if err != nil {
		return nil, err
	}
	if last := p.asks[len(p.asks)-1].after(); s.clocked && r.Now().After(at.Add(last+p.late+markTime)) {
		return nil, errLate
	}
	if err := r.stage.weigh(ctx, before, few, measured, found); err != nil {
		return nil, err
	}
	return figures(counts, len(p.asks)*len(counted.keys), found), nil
}

// stream asks one copy on each server, each request when it is due.
func (r *run) stream(ctx context.Context, p *path, found *scene, counted, measured *copies, at time.Time) error {
	for i, a := range p.asks {
		if err := r.until(ctx, at.Add(a.after())); err != nil {
			return err
		}
		if err := counted.askOne(ctx, i, p.asks, found); err != nil {
			return err
		}
		if i >= mostMeasured {
			continue
		}
		if err := measured.askOne(ctx, i, p.asks, found); err != nil {
			return err
		}
	}
	return nil
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

// instant is the first at which a path may be, not before a time. Where the server's clock decides, its second has just
// begun, or its second quarter, so that all requests of the path lie within it; and within a window on the clock.
func (s situation) instant(earliest time.Time, late time.Duration) time.Time {
	at := earliest.Truncate(time.Millisecond)
	for !s.fits(at, late) {
		at = at.Add(time.Millisecond)
	}
	return at
}

func (s situation) fits(at time.Time, late time.Duration) bool {
	ms := at.UnixMilli() % 1000
	if s.clocked && ms != 50 && ms != 300 {
		return false
	}
	window := s.Policy.WindowUS()
	span := 2 * late.Microseconds()
	return window < 2*span || at.UnixMicro()%window+span <= window
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

// warm lets a script decide, so that it is compiled and its Lua has what it keeps.
func (r *run) warm(ctx context.Context, e *lineup.Entry) error {
	const calls = 100
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
	return r.clear(ctx)
}

// clear deletes the copies on the counted server.
func (r *run) clear(ctx context.Context) error {
	_, err := serverstats.Delete(context.WithoutCancel(ctx), r.counted.Client, r.counted.Prefix)
	return err
}
