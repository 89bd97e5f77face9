package counting

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ratelab/internal/engine"
	"ratelab/internal/limit"
	"ratelab/internal/redis"
	"ratelab/internal/virtualtime"
)

// copied is one Redis key of the state, to be copied.
type copied struct {
	name, dump string
	deadlineMS int64 // since 1970; 0: none
}

// scene is a state, with the requests that are counted in it, and their decisions in virtual time.
type scene struct {
	keys    []copied
	costs   []int64          // of the requests
	decided []limit.Decision // the decisions on these requests at the path's instant
}

// beforeFirst is the time from the start of the runner to the first request.
const beforeFirst = time.Second

// make returns the scene of a path. It decides the path's history in virtual time, shifted so that the path's instant
// is at. Then it decides requests with the given costs. The keys' deadlines are converted to the wall clock.
func (r *counter) make(ctx context.Context, p *path, costs []int64, at time.Time) (*scene, error) {
	if err := r.native.Client.FlushAll(ctx).Err(); err != nil {
		return nil, err
	}
	begins := at.Add(-beforeFirst)
	if len(p.history) > 0 {
		begins = begins.Add(time.Duration(p.history[0].AtUS) * time.Microsecond)
	}
	program := p.Program
	if p.before != nil {
		program = p.before.Program.Changing(p.Program, at.UnixMicro(), 0)
	}
	runner, err := engine.Runner(ctx, r.native, program, virtualtime.Options{Start: begins}, r.Clock)
	if err != nil {
		return nil, err
	}
	decide := func(requests []limit.Request) ([]limit.Decision, error) {
		for i := range requests {
			requests[i].AtUS += at.Sub(begins).Microseconds()
		}
		out := make([]limit.Decision, len(requests))
		return out, runner.Decide(ctx, requests, out)
	}
	if _, err := decide(slices.Clone(p.history)); err != nil {
		return nil, err
	}
	found := &scene{costs: costs}
	if found.keys, err = r.copies(ctx, runner.Deadline, at); err != nil {
		return nil, err
	}
	already := runner.Calls().Total
	var asked []limit.Request
	for _, cost := range costs {
		asked = append(asked, once(p.aheadUS, cost))
	}
	found.decided, err = decide(asked)
	p.Commands = float64(runner.Calls().Total-already) / float64(len(costs))
	return found, err
}

// copies returns the keys of the template, without those that expire by the given instant.
func (r *counter) copies(ctx context.Context, virtual func(int64) int64, at time.Time) ([]copied, error) {
	var all []copied
	err := redis.Scan(ctx, r.native.Client, r.native.Prefix, func(names []string) error {
		for _, name := range names {
			if !strings.Contains(name, template) {
				continue
			}
			dump, err := r.native.Client.Dump(ctx, name).Result()
			if err != nil {
				return err
			}
			ms, err := r.native.Client.Do(ctx, "PEXPIRETIME", name).Int64()
			if err != nil {
				return err
			}
			if ms >= 0 {
				ms = virtual(ms)
			}
			if ms < 0 || ms > at.UnixMilli() {
				all = append(all, copied{name, dump, max(0, ms)})
			}
		}
		return nil
	})
	return all, err
}

// errWrong means that the script decided differently than in virtual time. Then the figures would be those of another
// path.
var errWrong = errors.New("the calls did not take that path")

// differs describes how the decision on request i differs from virtual time, or returns "" if it does not. For a script
// that reads the server's clock, the remaining tokens are not compared, because they change with time.
func (p *path) differs(i int, got limit.Decision) string {
	switch want := p.found.decided[i]; {
	case got.Verdict != want.Verdict:
		return fmt.Sprintf("was %s, but is %s in virtual time", words[got.Verdict], words[want.Verdict])
	case p.late == 0 && got.Remaining != want.Remaining:
		return fmt.Sprintf("left %d tokens, but %d in virtual time", got.Remaining, want.Remaining)
	}
	return ""
}

var words = map[limit.Verdict]string{limit.Allowed: "allowed", limit.Rejected: "rejected",
	limit.NotConfigured: "not configured", limit.Unavailable: "unavailable"}
