package cost

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"

	"ratelab/internal/keyspace"
	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/redisserver"
	"ratelab/internal/replay"
	"ratelab/internal/serverstats"
	"ratelab/internal/virtualtime"
)

// template is the key whose state is made; a copy has another number. later is one of the same history that is asked
// as late as may be.
const (
	template = "p00000"
	later    = "p00001"
)

var timeCommand = regexp.MustCompile(`(?i)['"]TIME['"]`)

// namesTime reports whether a source calls TIME, as far as can be read off it.
func namesTime(source string) bool { return timeCommand.MatchString(source) }

// stage is the native server on which states are made.
type stage struct {
	*redisserver.Server
	clock      replay.Clock
	replicated *serverstats.Replication
}

// openStage starts a server of the same program as the one that is counted. Keys whose TTL has passed stay.
func openStage(ctx context.Context, spec string, clock replay.Clock) (*stage, error) {
	server, err := redisserver.Start(ctx, spec, redisserver.WithDirectTransport(),
		redisserver.Within(redisserver.Around{Options: []string{"--enable-debug-command", "yes"}}))
	if err != nil {
		return nil, err
	}
	s := &stage{Server: server, clock: clock}
	if err = keepExpired(ctx, server.Client); err == nil {
		// whoever asks for replication is never served, and the server's end would wait for it
		err = server.Client.ConfigSet(ctx, "shutdown-timeout", "0").Err()
	}
	if err == nil {
		s.replicated, err = serverstats.Replicate(ctx, server, server.Prefix+"replicated")
	}
	if err != nil {
		return nil, errors.Join(redisserver.Explain(err, server), server.Close())
	}
	return s, nil
}

func keepExpired(ctx context.Context, c redisserver.Client) error {
	return c.Do(ctx, "DEBUG", "SET-ACTIVE-EXPIRE", "0").Err()
}

func (s *stage) close(context.Context) error { return s.Server.Close() }

// copied is one Redis key of the template.
type copied struct {
	name, dump string
	deadlineMS int64 // since 1970; 0: none
}

// scene is a state, and what is decided in it.
type scene struct {
	keys        []copied
	soon, late  []limit.Decision // what is asked at the path's instant, and as late as may be
	commands    float64          // that the script issues for each
	replicated  float64          // bytes
	bytesPerKey *int64
}

// play is a history that has been decided in virtual time.
type play struct {
	*virtualtime.Runner
	keys     []copied
	offsetUS int64 // of the path's instant, since the runner's start
}

// make decides a path's history in virtual time, so that its instant is at, and then what is asked, twice: on time, and
// late. Deadlines are those that the keys would have on the wall clock.
func (s *stage) make(ctx context.Context, e *lineup.Entry, p *path, at time.Time) (*scene, error) {
	played, err := s.before(ctx, e, p, at)
	if err != nil || p.missing != "" {
		return nil, err
	}
	found, already := &scene{keys: played.keys}, played.Calls().Total
	if found.soon, err = played.ask(ctx, p.costs, template, p.aheadUS); err != nil {
		return nil, err
	}
	found.commands = float64(played.Calls().Total-already) / float64(len(p.costs))
	switch {
	case p.verdict == limit.Rejected:
		found.late = found.soon
	case len(p.costs) > 1:
		found.late = slices.Clone(found.soon)
		for i := 1; i < len(found.late) && p.late > 0; i++ {
			// Permits come back one by one while the others are asked for; it is a burst as long as some are out.
			found.late[i].Remaining = max(found.soon[i].Remaining, e.Policy.Capacity()-2)
		}
	default:
		found.late, err = played.ask(ctx, p.costs, later, p.late.Microseconds())
	}
	return found, err
}

// ask has requests for a key decided, so long after the path's instant.
func (p *play) ask(ctx context.Context, costs []int64, key string, afterUS int64) ([]limit.Decision, error) {
	var requests []limit.Request
	for _, cost := range costs {
		requests = append(requests, limit.Request{AtUS: p.offsetUS + afterUS, Key: key, Cost: cost})
	}
	return decide(ctx, p.Runner, requests)
}

// How often a history is put earlier until its keys have expired, and how long they have been by then at the least.
// Their TTL may depend on where the history lies in a window on the clock.
const (
	expiries    = 5
	expiredMS   = 2
	noTTL       = "its keys have no TTL"
	movingTTL   = "its keys' TTL moves with the clock"
	beforeFirst = time.Second // from the runner's start to the first request
)

// before plays what was before a path's instant.
func (s *stage) before(ctx context.Context, e *lineup.Entry, p *path, at time.Time) (*play, error) {
	history := p.history
	for range expiries {
		played, err := s.play(ctx, e, history, at)
		if err != nil || len(history) == 0 {
			return played, err
		}
		if !p.expired {
			played.keys = slices.DeleteFunc(played.keys, func(k copied) bool { // what has, by then, is gone
				return k.deadlineMS > 0 && k.deadlineMS <= at.UnixMilli()
			})
			return played, nil
		}
		over, gone := int64(0), at.UnixMilli()-expiredMS
		for i := range played.keys {
			k := &played.keys[i]
			if k.deadlineMS == 0 {
				p.missing = noTTL
				return nil, nil
			}
			over, k.deadlineMS = max(over, k.deadlineMS-gone), gone
		}
		if len(played.keys) == 0 {
			p.missing = noTTL
			return nil, nil
		}
		if over <= 0 {
			return played, nil
		}
		history = shifted(history, -over*1000)
	}
	p.missing = movingTTL
	return nil, nil
}

// play decides a history for the template and for the key that is asked later.
func (s *stage) play(ctx context.Context, e *lineup.Entry, history []limit.Request, at time.Time) (*play, error) {
	if err := s.Client.FlushAll(ctx).Err(); err != nil {
		return nil, err
	}
	begins := at.Add(-beforeFirst)
	if len(history) > 0 {
		begins = begins.Add(time.Duration(history[0].AtUS) * time.Microsecond)
	}
	runner, err := lineup.Runner(ctx, s.Server, e.Program, lineup.Times{Start: begins}, 0, s.clock)
	if err != nil {
		return nil, err
	}
	p := &play{Runner: runner, offsetUS: at.Sub(begins).Microseconds()}
	var both []limit.Request
	for _, q := range shifted(history, p.offsetUS) {
		other := q
		other.Key = later
		both = append(both, q, other)
	}
	if _, err := decide(ctx, runner, both); err != nil {
		return nil, err
	}
	p.keys, err = s.copies(ctx, runner.Deadline)
	return p, err
}

func shifted(history []limit.Request, byUS int64) []limit.Request {
	out := make([]limit.Request, len(history))
	for i, q := range history {
		q.AtUS += byUS
		out[i] = q
	}
	return out
}

func decide(ctx context.Context, r *virtualtime.Runner, requests []limit.Request) ([]limit.Decision, error) {
	out := make([]limit.Decision, len(requests))
	return out, r.Decide(ctx, requests, out)
}

// copies are the keys of the template as they are now.
func (s *stage) copies(ctx context.Context, virtual func(int64) int64) ([]copied, error) {
	var all []copied
	err := keyspace.Scan(ctx, s.Client, s.Prefix, func(names []string) error {
		for _, name := range names {
			if !strings.Contains(name, template) {
				continue
			}
			dump, err := s.Client.Dump(ctx, name).Result()
			if err != nil {
				return err
			}
			ms, err := s.Client.Do(ctx, "PEXPIRETIME", name).Int64()
			if err != nil {
				return err
			}
			if ms >= 0 {
				ms = virtual(ms)
			}
			all = append(all, copied{name, dump, max(0, ms)})
		}
		return nil
	})
	return all, err
}

// mostMeasured is how many requests of a key the native server decides.
const mostMeasured = 20

// weigh says what so many requests of a copy have sent to a replica, and what its key takes then, with its name.
func (s *stage) weigh(ctx context.Context, before int64, requests int, c *copies, found *scene) error {
	after, err := s.replicated.Bytes(ctx)
	if err != nil {
		return err
	}
	found.replicated = float64(after-before) / float64(requests)
	key := c.keys[0]
	return keyspace.Scan(ctx, s.Client, s.Prefix, func(names []string) error {
		for _, name := range names {
			if !strings.Contains(name, key) {
				continue
			}
			bytes, err := s.Client.MemoryUsage(ctx, name, 0).Result()
			if err != nil {
				return err
			}
			if found.bytesPerKey == nil {
				found.bytesPerKey = new(int64)
			}
			*found.bytesPerKey += bytes
		}
		return nil
	})
}
