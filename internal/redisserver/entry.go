package redisserver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"ratelab/internal/message"
	"ratelab/internal/registry"
)

// entry keeps a run in the registry while it lives.
type entry struct {
	run      registry.Run
	stop     context.CancelFunc
	done     chan struct{} // closed when it is renewed no more
	leftKeys bool
}

// sweepTime bounds the pass over a large or distant server's keys that a run begins with. What it does not reach, the
// next run or simulate clean deletes.
const sweepTime = 10 * time.Second

// enter puts the run into the registry, keeps it there until Close, and deletes what dead runs left.
func (s *Server) enter(ctx context.Context, run registry.Run, notice func(line string)) error {
	limited, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	renewing, stop := context.WithCancel(context.Background())
	e := &entry{run: run, stop: stop, done: make(chan struct{})}
	s.mu.Lock()
	s.entry = e // before there is one: an interrupt may come before the answer, and Close deletes it then too
	s.mu.Unlock()
	if err := registry.Enter(limited, s.Client, run); err != nil {
		close(e.done)
		return s.explainRegistry(err)
	}
	go e.renew(renewing, s.Client)
	return s.sweep(ctx, notice)
}

// entered reports whether there may be an entry to delete.
func (s *Server) entered() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.entry != nil
}

// renew moves the end on. Where that fails there is another time, or the run fails anyway.
func (e *entry) renew(ctx context.Context, c Client) {
	defer close(e.done)
	tick := time.NewTicker(registry.Renewal)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_ = registry.Enter(ctx, c, e.run)
		}
	}
}

// end takes the run out of the registry, unless it has left keys. Where the server does not answer any more, its end
// will pass.
func (e *entry) end(c Client) {
	e.stop()
	<-e.done
	if e.leftKeys {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), dialTimeout)
	defer cancel()
	_ = registry.Leave(ctx, c, e.run)
}

// LeftKeys says that keys of this run could not be deleted: its entry in the registry stays, so that the next run finds
// them.
func (s *Server) LeftKeys() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.entry != nil {
		s.entry.leftKeys = true
	}
}

// sweep deletes what dead runs left. That the server refuses is no error: this run needs none of it.
func (s *Server) sweep(ctx context.Context, notice func(line string)) error {
	limited, cancel := context.WithTimeout(ctx, sweepTime)
	defer cancel()
	dead, err := registry.Dead(limited, s.Client, s.entry.run.ID)
	var deleted map[string]int64
	if err == nil && len(dead) > 0 {
		deleted, err = registry.Clean(limited, s.Client, dead)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var keys int64
	for _, n := range deleted {
		keys += n
	}
	what := fmt.Sprintf("%s: deleted %s that %s left", s.target.label, message.Count(keys, "key"), whose(dead))
	switch {
	case err == nil && keys > 0:
		notice(what)
	case err != nil && limited.Err() != nil && len(dead) > 0:
		notice(fmt.Sprintf("%s; after %v there may be more: simulate clean --redis goes through all", what, sweepTime))
	case err != nil && !isReply(err):
		return s.explainRegistry(err) // no run is to be had there either
	case err != nil:
		notice(fmt.Sprintf("%s: what dead runs left could not be deleted: %v", s.target.label, s.explainRegistry(err)))
	}
	return nil
}

// isReply reports whether err is the server's own answer, and not a connection that failed.
func isReply(err error) bool {
	var reply redis.Error
	var inUse *registry.TakenError
	return errors.As(err, &reply) || errors.As(err, &inUse)
}

// whose names the run, or says how many there are.
func whose(dead []registry.Run) string {
	if len(dead) != 1 || dead[0].Host == "" {
		return message.Count(int64(len(dead)), "dead run")
	}
	return fmt.Sprintf("a dead run (process %d on %q)", dead[0].Process.PID, dead[0].Host)
}

// explainRegistry words an error of a call on the registry, whose keys do not begin with this run's prefix.
func (s *Server) explainRegistry(err error) error {
	var inUse *registry.TakenError
	if errors.As(err, &inUse) {
		return unavailable("%s: %v", s.target.label, err)
	}
	return Explain(err, s)
}
