package main

import (
	"context"
	"fmt"
	"net"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/redis"
	"ratelab/internal/result"
	"ratelab/internal/run"
	"ratelab/internal/script"
	"ratelab/internal/sequence"
	"ratelab/internal/virtualtime"
	"ratelab/redisclock"
)

// server is a run.Server for libraries. Whatever is open has a Redis of its own.
type server struct {
	spec string
	stop <-chan struct{}

	redis []*redis.Server
	open  []*row // since the last Clean, each on the Redis of the same number

	// of all rows before the last Clean: decisions, those that admit without a word to Redis, and round trips to it
	decisions, alone, trips int64
}

var _ run.Server = (*server)(nil)

// Start starts the first Redis.
func (s *server) Start(ctx context.Context, _ int) error { return s.atLeast(ctx, 1) }

// atLeast starts so many, unless there are as many.
func (s *server) atLeast(ctx context.Context, n int) error {
	for len(s.redis) < n {
		one, err := redis.Start(ctx, s.spec)
		if err != nil {
			return err
		}
		s.redis = append(s.redis, one)
		if !one.Own {
			return fmt.Errorf("%s: libraries get servers of their own; want process or container", s.spec)
		}
	}
	return nil
}

// Close ends every Redis.
func (s *server) Close() {
	for _, one := range s.redis {
		one.Close()
	}
	s.redis = nil
}

// Describe names the first Redis.
func (s *server) Describe() (result.Server, bool) {
	one := s.redis[0]
	return result.Server{Kind: one.Kind, Name: one.Name, Version: one.Version, Transport: one.Transport}, false
}

// Private is the server itself, which is nobody else's. Try tries nothing, Confirm has nothing to confirm, and Kept is
// nothing, since every Redis ends.
func (s *server) Private(ctx context.Context) (run.Server, error)   { return s, s.Start(ctx, 1) }
func (*server) Try(context.Context, *run.Plan) error                { return nil }
func (*server) Confirm(context.Context, []sequence.Call, int) error { return nil }
func (*server) Kept() string                                        { return "" }

// Open opens a library.
func (s *server) Open(ctx context.Context, l *run.Limiter, start time.Time, _ time.Duration, _ int) (run.Script,
	error) {
	if err := s.atLeast(ctx, len(s.open)+1); err != nil {
		return nil, err
	}
	r := &row{Limiter: l, server: s, redis: s.redis[len(s.open)], start: start, clock: redisclock.New(start),
		processes: map[int64]*process{}}
	s.open = append(s.open, r)
	return r, nil
}

// Clean ends the libraries that were opened, and deletes their keys. The error is failed, or else its own.
func (s *server) Clean(ctx context.Context, failed error) error {
	for _, r := range s.open {
		r.end()
		s.decisions, s.alone, s.trips = s.decisions+r.decisions, s.alone+r.alone, s.trips+r.trips
		if err := r.redis.Client.FlushAll(context.WithoutCancel(ctx)).Err(); err != nil && failed == nil {
			failed = err
		}
	}
	s.open = nil
	return failed
}

// row is an opened library. It is a run.Script.
type row struct {
	*run.Limiter
	server *server
	redis  *redis.Server
	start  time.Time

	clock     *redisclock.Clock  // of Redis
	processes map[int64]*process // by what their clocks are off, in µs
	client    *goredis.Client    // looks at the keys; nil: it has not yet

	decisions, alone, trips int64 // see server
}

// mostClocks is the most clocks that a row's processes may have.
const mostClocks = 100

// Decide has the library decide, each request in the process whose clock is off as its client's is.
func (r *row) Decide(ctx context.Context, requests []limit.Request, decisions []limit.Decision) error {
	for i, q := range requests {
		if message.Closed(r.server.stop) {
			return message.ErrStopped
		}
		p, err := r.process(q.ClientSkewUS)
		if err != nil {
			return fmt.Errorf("%s: %w", r.Label, err)
		}
		r.clock.Set(r.at(q.AtUS + q.ServerSkewUS))
		q.Key = string(r.Program.Decide.Keys[0].Append(nil, &script.Vars{Key: q.Key}))
		before := p.trips.Load()
		if decisions[i], err = p.ask(ctx, q, r.at(q.AtUS+q.ClientSkewUS)); err != nil {
			return &virtualtime.CallError{Request: q, Text: err.Error()}
		}
		trips := p.trips.Load() - before
		if r.trips, r.decisions = r.trips+trips, r.decisions+1; trips == 0 && decisions[i].Allowed() {
			r.alone++
		}
	}
	if r.trips == 0 {
		return fmt.Errorf("%s decides without Redis: no command of %d requests came through the clock", r.Label,
			r.decisions)
	}
	return nil
}

// at is a time of the scenario.
func (r *row) at(us int64) time.Time { return r.start.Add(time.Duration(us) * time.Microsecond) }

// process is the one whose clock is off by so much.
func (r *row) process(skewUS int64) (p *process, err error) {
	if p = r.processes[skewUS]; p != nil {
		return p, nil
	}
	if len(r.processes) == mostClocks {
		return nil, fmt.Errorf("more than %d clocks, each of which needs a process", mostClocks)
	}
	if p, err = begin(r.Limiter, r.redis, r.clock, r.at(skewUS)); err == nil {
		r.processes[skewUS] = p
	}
	return p, err
}

// Left counts keys.
func (r *row) Left(ctx context.Context, atUS int64) (left virtualtime.Left, err error) {
	r.clock.Set(r.at(atUS))
	for _, name := range r.names() {
		ttl, failed := r.client.PTTL(ctx, name).Result()
		if left.Keys++; failed != nil {
			err = failed
		} else if ttl == -1 {
			left.WithoutTTL++
		}
	}
	return left, err
}

// names are those of the keys.
func (r *row) names() []string {
	if r.client == nil {
		dialer := redisclock.Dialer{Clock: r.clock,
			Open: func(ctx context.Context, _, _ string) (net.Conn, error) { return r.redis.Open(ctx) }}
		r.client = goredis.NewClient(&goredis.Options{Dialer: dialer.DialContext, MaxRetries: -1, Protocol: 2})
	}
	return r.client.Keys(context.Background(), "*").Val()
}

// Calls counts nothing: the commands are the clock's.
func (r *row) Calls() virtualtime.Calls { return virtualtime.Calls{} }

// end ends the processes.
func (r *row) end() {
	for _, p := range r.processes {
		close(p.asks)
	}
	if r.client != nil {
		r.client.Close()
	}
}
