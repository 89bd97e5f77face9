package cost

import (
	"context"
	"errors"
	"time"

	"ratelab/internal/callgrind"
	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/serverstats"
)

// perDecision is more than a decision takes under callgrind.
const perDecision = 800 * time.Microsecond

// How long before its instant a path is prepared: at first, and at the most.
const (
	leastLead = 100 * time.Millisecond
	mostLead  = 20 * time.Second
)

// errLate ends an attempt whose state is no longer what it says.
var errLate = errors.New("the machine was too slow for it")

// attempt counts a row's path once, over so many copies of a key. Where there turns out to be no such path, it notes
// why.
func (r *run) attempt(ctx context.Context, t *turn, keys, late int) (err error) {
	began, p := r.Now(), t.path.over(keys)
	lead := min(r.lead+r.lead*time.Duration(late)/4, mostLead)
	at := t.instant(began.Add(lead), p.late)
	found, err := r.stage.make(ctx, t.Entry, &p, at)
	if err == nil && p.missing == "" && found.soon[0].Verdict != p.verdict {
		p.missing = reasonFor(p.verdict)
	}
	if t.path.missing = p.missing; err != nil || p.missing != "" {
		return err
	}
	counted, measured, err := r.setUp(ctx, t.Entry, p.keys, found, at)
	if err != nil {
		return errors.Join(err, r.clear(ctx))
	}
	defer func() { err = errors.Join(err, counted.close(ctx), measured.close(ctx), r.clear(ctx)) }()
	tidied, err := r.tidy(ctx)
	if err != nil {
		return err
	}
	r.lead = max(leastLead, min(mostLead, (r.lead+2*r.Now().Sub(began))/2))
	counts, err := r.count(ctx, t.situation, &p, found, counted, measured, at)
	if err == nil && r.disturbed(counts, tidied) {
		err = errDisturbed
	}
	if err == nil {
		t.found, t.counts = found, append(t.counts, counts.Without(tidied))
	}
	return err
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
	if measured, err = setUp(ctx, r.stage.Server, e.Label, program, 1, found, at); err != nil {
		return nil, nil, err
	}
	counted, err = setUp(ctx, r.counted.Server, e.Label, program, keys, found, at)
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
		if err := counted.ask(ctx, p.costs, found); err != nil {
			return err
		}
		if s.clocked && r.Now().After(at.Add(p.late)) {
			return errLate
		}
		return r.collect(ctx)
	})
	if err != nil {
		return counts, err
	}
	return counts, r.stage.weigh(ctx, before, few, measured, found)
}

// markTime is what callgrind takes to write down a part.
const markTime = 30 * time.Millisecond

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

// warm lets a script decide as often as it is counted at a time, and without a collector as then, until the server has
// what it keeps for that: Lua's table of strings and the allocator's slabs grow at first.
func (r *run) warm(ctx context.Context, e *lineup.Entry) error {
	const times = 3
	program := e.Program.InKeyspace(r.counted.Prefix)
	c, err := setUp(ctx, r.counted.Server, e.Label, program, decisions, &scene{}, r.Now())
	if err != nil {
		return err
	}
	for range times {
		if _, err := r.tidy(ctx); err != nil {
			return err
		}
		for _, key := range c.keys {
			if _, err := c.calls.Call(ctx, limit.Request{Key: key, Cost: 1}); err != nil {
				return err
			}
		}
		if err := r.collect(ctx); err != nil {
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
