package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/message"
	"ratelab/internal/redis"
	"ratelab/internal/result"
	"ratelab/internal/run"
	"ratelab/internal/script"
	"ratelab/internal/virtualtime"
	"ratelab/redisclock"
)

// servers is a run.Engine for libraries. Each open library has its own Redis.
type servers struct {
	run.Models
	ctx   context.Context // ends with an interrupt
	spec  string
	redis []*redis.Server
	open  []*opened // since the last Clean; each uses the Redis with the same index

	decisions, trips int64 // of all rows before the last Clean: decisions, and round trips to Redis
}

var _ run.Engine = (*servers)(nil)

// start starts the first Redis.
func start(ctx context.Context, spec string) (*servers, error) {
	s := &servers{ctx: ctx, spec: spec}
	return s, s.atLeast(ctx, 1)
}

// atLeast starts servers until there are at least n.
func (s *servers) atLeast(ctx context.Context, n int) error {
	for len(s.redis) < n {
		one, err := redis.Start(ctx, s.spec)
		if err != nil {
			return err
		}
		s.redis = append(s.redis, one)
		if !one.Own {
			return fmt.Errorf("%s: each library needs its own server; want process or container", s.spec)
		}
	}
	return nil
}

// Close stops all servers.
func (s *servers) Close() {
	for _, one := range s.redis {
		one.Close()
	}
	s.redis = nil
}

// About describes the first Redis.
func (s *servers) About() result.Server {
	one := s.redis[0]
	return result.Server{Kind: one.Kind, Name: one.Name, Version: one.Version, Transport: one.Transport}
}

// Open opens a library.
func (s *servers) Open(ctx context.Context, p *run.Plan, l *limiter.Limiter) (run.Script, error) {
	if err := s.atLeast(ctx, len(s.open)+1); err != nil {
		return nil, err
	}
	from := p.Scenario.Start
	r := &opened{Limiter: l, until: s.ctx, redis: s.redis[len(s.open)], start: from, clock: redisclock.New(from)}
	s.open = append(s.open, r)
	return r, nil
}

// Clean ends the libraries that were opened, and deletes their keys. It returns failed, or its own error if failed is
// nil.
func (s *servers) Clean(ctx context.Context, failed error) error {
	for _, r := range s.open {
		r.end()
		s.decisions, s.trips = s.decisions+r.decisions, s.trips+r.trips
		if err := r.redis.Client.FlushAll(context.WithoutCancel(ctx)).Err(); err != nil && failed == nil {
			failed = err
		}
	}
	s.open = nil
	return failed
}

// opened is an opened library. It is a run.Script.
type opened struct {
	*limiter.Limiter
	until context.Context
	redis *redis.Server
	start time.Time

	clock     *redisclock.Clock // of Redis
	processes []*process        // as many as needed, so that no process's clock has to step back
	client    *goredis.Client   // for inspecting keys; nil until needed

	decisions, trips int64
	ignored          string // an error of Redis after which the library decided anyway
}

// mostProcesses is the most processes of a row.
const mostProcesses = 100

// Decide lets the library decide each request at its client's time.
func (r *opened) Decide(ctx context.Context, requests []limit.Request, decisions []limit.Decision) error {
	for i, q := range requests {
		if r.until.Err() != nil {
			return message.ErrInterrupted
		}
		at := r.at(q.AtUS + q.ClientSkewUS)
		p, err := r.process(at)
		if err != nil {
			return fmt.Errorf("%s: %w", r.Label, err)
		}
		r.clock.Set(r.at(q.AtUS + q.ServerSkewUS))
		q.Key = string(r.Program.Decide.Keys[0].Append(nil, &script.Vars{Key: q.Key}))
		before := p.trips.Load()
		p.refused.Store(nil)
		decisions[i], err = p.ask(ctx, q, at)
		if refused := p.refused.Load(); err == nil && refused != nil {
			if r.ignored = *refused; strings.HasPrefix(*refused, "VT") { // the clock does not support the command
				err = errors.New(*refused)
			}
		}
		if err != nil {
			return &virtualtime.CallError{Request: q, Text: err.Error()}
		}
		r.trips, r.decisions = r.trips+p.trips.Load()-before, r.decisions+1
	}
	if r.trips == 0 {
		return fmt.Errorf("%s decides without Redis: no command of %d requests came through the clock", r.Label,
			r.decisions)
	}
	return nil
}

// at returns a time of the scenario.
func (r *opened) at(us int64) time.Time { return r.start.Add(time.Duration(us) * time.Microsecond) }

// process returns the process whose clock is closest to the given time, but not ahead of it. It starts one if needed.
func (r *opened) process(at time.Time) (best *process, err error) {
	for _, p := range r.processes {
		if !p.now.After(at) && (best == nil || p.now.After(best.now)) {
			best = p
		}
	}
	if best == nil && len(r.processes) == mostProcesses {
		return nil, fmt.Errorf("its clients' clocks need more than %d processes", mostProcesses)
	}
	if best == nil {
		begun := r.start
		if at.Before(begun) {
			begun = at
		}
		if best, err = begin(r.Limiter, r.redis, r.clock, begun); err != nil {
			return nil, err
		}
		r.processes = append(r.processes, best)
	}
	best.now = at
	return best, nil
}

// Ignored returns the first ignored error, for package examine.
func (r *opened) Ignored() string { return r.ignored }

// Left counts keys.
func (r *opened) Left(ctx context.Context, atUS int64) (left virtualtime.Left, err error) {
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

// names returns the names of the keys.
func (r *opened) names() []string {
	if r.client == nil {
		dialer := redisclock.Dialer{Clock: r.clock,
			Open: func(ctx context.Context, _, _ string) (net.Conn, error) { return r.redis.Open(ctx) }}
		r.client = goredis.NewClient(&goredis.Options{Dialer: dialer.DialContext, MaxRetries: -1, Protocol: 2})
	}
	return r.client.Keys(context.Background(), "*").Val()
}

// Calls returns zeros, because the counted commands would be the clock's, not the library's.
func (r *opened) Calls() virtualtime.Calls { return virtualtime.Calls{} }

// end ends the processes.
func (r *opened) end() {
	for _, p := range r.processes {
		close(p.asks)
	}
	if r.client != nil {
		r.client.Close()
	}
}
