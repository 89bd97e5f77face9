package counting

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ratelab/internal/costs"
	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/load"
	"ratelab/internal/redis"
	"ratelab/internal/script"
)

// perDecision is an upper limit of the time that a decision takes under callgrind.
const perDecision = 800 * time.Microsecond

// leastLead and mostLead limit how long before its instant a path is prepared.
const (
	leastLead = 100 * time.Millisecond
	mostLead  = 20 * time.Second
)

// errLate means that the key's state expired before it was measured.
var errLate = errors.New("the machine was too slow")

// attempt counts the path once for one limiter, on the given number of copies of a key. If the limiter does not have
// the path, attempt sets Missing to the reason.
func (r *counter) attempt(ctx context.Context, p *path, keys int) (err error) {
	began, costs := r.Now(), p.costs
	if p.oneKey {
		costs, keys = slices.Repeat(costs, keys), 1
	}
	at := p.instant(began.Add(min(r.lead+r.lead*time.Duration(r.late)/4, mostLead)))
	if p.found, err = r.make(ctx, p, costs, at); err != nil {
		return err
	}
	if p.found.decided[0].Verdict != p.verdict {
		p.Figures = Figures{Missing: "it rejects such a request"}
		if p.verdict == limit.Rejected {
			p.Missing = "it never rejects"
		}
		return nil
	}
	c, err := r.copy(ctx, p.Program, keys, p.found.keys, at)
	defer func() {
		c.close()
		err = errors.Join(err, redis.Delete(context.WithoutCancel(ctx), r.counted.Client, r.counted.Prefix))
	}()
	if err != nil {
		return err
	}
	tidied, err := r.tidy(ctx)
	if err != nil {
		return err
	}
	r.lead = max(leastLead, min(mostLead, (r.lead+2*r.Now().Sub(began))/2))
	counted, err := r.count(ctx, p, c, at)
	switch {
	case err != nil:
		return err
	case r.disturbed(counted, tidied):
		return errDisturbed
	}
	p.counts = append(p.counts, float64(counted.without(tidied).Instructions))
	p.BytesPerKey, err = r.weigh(ctx, c.keys[len(c.keys)-1]) // the key that expires last
	return err
}

// count sends the requests at the path's instant, and returns the counts of this interval.
func (r *counter) count(ctx context.Context, p *path, c *copies, at time.Time) (counts, error) {
	// wait before the first mark, because the server's own work in this time must not be counted
	if err := r.until(ctx, at.Add(-2*markTime)); err != nil {
		return counts{}, err
	}
	return r.counted.count(ctx, func() error {
		if r.Now().After(at) {
			return errLate
		}
		if err := r.until(ctx, at); err != nil {
			return err
		}
		for _, key := range c.keys {
			for i, cost := range p.found.costs {
				o, err := c.calls.Call(limit.Request{Key: key, Cost: cost})
				if err != nil {
					return err
				}
				if problem := p.differs(i, o.Decision); problem != "" {
					return fmt.Errorf("%w: request %d of %d %s", errWrong, i+1, len(p.found.costs), problem)
				}
			}
		}
		if p.clocked && r.Now().After(at.Add(p.late)) {
			return errLate
		}
		return r.collect(ctx)
	})
}

// markTime is how long callgrind takes to dump its counters.
const markTime = 30 * time.Millisecond

// until waits for an instant. To be exact, it does not sleep in the last two milliseconds.
func (r *counter) until(ctx context.Context, at time.Time) error {
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

// copies has keys with the same state on the counted server, and a connection for the requests. In the requests, the
// client's time is always the path's instant.
type copies struct {
	target *load.Target
	calls  *load.Connection
	keys   []string
}

func (c *copies) close() {
	if c.target != nil {
		c.target.Close()
	}
}

// copy puts n copies of a state onto the counted server.
func (r *counter) copy(ctx context.Context, program *script.Program, n int, state []copied, at time.Time) (*copies,
	error) {
	c, s := &copies{}, r.counted
	for i := range n {
		c.keys = append(c.keys, fmt.Sprintf("q%05d", i)) // the same length as the template
	}
	var err error
	c.target, err = load.Prepare(ctx, load.Endpoint{Client: s.Client, Open: s.Open}, program.InKeyspace(s.Prefix),
		load.Stopwatch{Origin: at, Now: func() time.Duration { return 0 }})
	if err == nil {
		c.calls, err = c.target.Connect(ctx)
	}
	if err == nil {
		err = c.target.Introduce(ctx, c.keys)
	}
	if err != nil || len(state) == 0 {
		return c, err
	}
	pipe := s.Client.Pipeline()
	for _, key := range c.keys {
		for _, k := range state {
			name := strings.ReplaceAll(k.name, template, key) // both servers have the same prefix
			pipe.Do(ctx, "RESTORE", name, k.deadlineMS, k.dump, "REPLACE", "ABSTTL")
		}
	}
	if _, err = pipe.Exec(ctx); err != nil {
		return c, err
	}
	size, err := s.Client.DBSize(ctx).Result()
	if err == nil && size != int64(fillers+n*len(state)) {
		err = errLate // keys have expired before they arrived
	}
	return c, err
}

// nameOfOneLength replaces a key's name while its bytes are measured. So the length of the limiter's name does not
// matter.
var nameOfOneLength = strings.Repeat("k", costs.KeyLength)

// weigh returns the memory of a copy's keys in bytes, with their names, or nil if there is no key. It deletes the keys.
func (r *counter) weigh(ctx context.Context, key string) (bytes *int64, err error) {
	c := r.counted.Client
	err = redis.Scan(ctx, c, r.counted.Prefix, func(names []string) error {
		for _, name := range names {
			if !strings.Contains(name, key) {
				continue
			}
			if c.Rename(ctx, name, nameOfOneLength).Err() != nil && ctx.Err() == nil {
				return errLate // the key has expired
			}
			takes, err := c.MemoryUsage(ctx, nameOfOneLength, 0).Result()
			if err != nil {
				return err
			}
			if bytes == nil {
				bytes = new(int64)
			}
			*bytes += takes
			if err := c.Del(ctx, nameOfOneLength).Err(); err != nil {
				return err
			}
		}
		return nil
	})
	return bytes, err
}

// fillers is the number of additional keys on the counted server. With them, the key table is not resized during a
// count. Otherwise rehashing would be counted, too.
const fillers = 1100

const addFillers = `
for i = 1, tonumber(ARGV[1]) do redis.call('SET', 'filler:' .. i, i, 'EX', 1000000) end
for i = 1, 3000 do redis.call('EXISTS', 'filler:' .. i) end
return 1`

// fill prepares the counted server: it adds the fillers, and turns off the deletion of expired keys.
func (r *counter) fill(ctx context.Context) error {
	if err := r.counted.Client.Do(ctx, "DEBUG", "SET-ACTIVE-EXPIRE", "0").Err(); err != nil {
		return err
	}
	return r.counted.Client.Eval(ctx, addFillers, nil, fillers).Err()
}

// warm lets a script decide as often as in a count, and also stops the garbage collector. It does so three times, until
// the server has allocated its memory. At first, Lua's string table and the allocator's slabs grow.
func (r *counter) warm(ctx context.Context, e *limiter.Limiter) error {
	const times = 3
	c, err := r.copy(ctx, e.Program, decisions, nil, r.Now())
	defer c.close()
	for n := 0; n < times && err == nil; n++ {
		_, err = r.tidy(ctx)
		for i := 0; i < len(c.keys) && err == nil; i++ {
			_, err = c.calls.Call(limit.Request{Key: c.keys[i], Cost: 1})
		}
		if err == nil {
			err = r.collect(ctx)
		}
	}
	return errors.Join(err, redis.Delete(context.WithoutCancel(ctx), r.counted.Client, r.counted.Prefix))
}
