package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"runtime/metrics"

	"github.com/redis/go-redis/v9"

	"ratelab/internal/caller"
	"ratelab/internal/lineup"
	"ratelab/internal/load"
	"ratelab/internal/redisserver"
	"ratelab/internal/serverstats"
)

// segment is one measurement of one entry: a keyspace of its own, and connections.
type segment struct {
	*session
	entry   *lineup.Entry
	prefix  string
	target  *caller.Target
	clock   load.Stopwatch
	callers []load.Caller
}

// segment prepares a measurement. Its name says which in an error.
func (s *session) segment(ctx context.Context, c *lineup.Entry, connections int) (*segment, error) {
	g := s.keyspace(c)
	server := caller.Server{Client: s.server.Client, Open: s.server.Open}
	var err error
	g.target, err = caller.Prepare(ctx, server, c.Program.InKeyspace(g.prefix), caller.Options{
		Shared: !s.server.Own, Lasts: s.lasts, Origin: g.clock.Origin, Now: g.clock.Now,
	})
	if err != nil {
		return nil, g.explain(err)
	}
	for range connections {
		connection, err := g.target.Connect(ctx)
		if err != nil {
			return nil, g.end(ctx, err)
		}
		g.callers = append(g.callers, connection)
	}
	return g, nil
}

// keyspace is a segment without connections.
func (s *session) keyspace(c *lineup.Entry) *segment {
	s.segments++
	g := &segment{session: s, entry: c, clock: load.NewClock(s.now())}
	g.prefix = fmt.Sprintf("%s%06d:", s.server.Prefix, s.segments) // of one length: a longer key costs more
	return g
}

// end closes the connections and deletes the segment's keys. It returns failed, put into our words, or else its own
// error.
func (g *segment) end(ctx context.Context, failed error) error {
	failed = g.explain(failed)
	err := g.target.Close(context.WithoutCancel(ctx))
	if failed == nil {
		failed = g.explain(err)
	}
	return g.sweep(ctx, failed)
}

// sweep deletes keys that a script derived from those in KEYS. On a server that others use they wait for the session's
// end: the search goes through everybody's keys. It returns failed, or else its own error.
func (g *segment) sweep(ctx context.Context, failed error) error {
	if !g.server.Own {
		return failed
	}
	_, err := serverstats.Delete(context.WithoutCancel(ctx), g.server.Client, g.prefix)
	if failed != nil {
		return failed
	}
	return g.explain(err)
}

// explain puts an error into our words: the server's where that is to blame, else with the entry's name, as for a
// reply that is none, or a request that came too late for on_late: fatal.
func (g *segment) explain(err error) error {
	if err == nil || errors.Is(err, errStopped) {
		return err
	}
	if ofServer(err) {
		err = redisserver.Explain(err, g.server)
	}
	var gone *redisserver.Unavailable
	if errors.As(err, &gone) || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%s: %w", g.entry.Label, err)
}

// ofServer reports whether an error came from the server or from the way to it.
func ofServer(err error) bool {
	var reply redis.Error
	var network net.Error
	return errors.As(err, &reply) || errors.As(err, &network) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, redis.ErrPoolTimeout)
}

// account is what a measured part took, beside its latencies.
type account struct {
	stats serverstats.Delta
	inits int64 // EVALSHA calls of an init
}

// add joins what another part took.
func (a *account) add(b account) {
	a.inits += b.inits
	a.stats.Add(b.stats)
}

// measured runs f between two readings of the counters, on a heap without garbage.
func (g *segment) measured(ctx context.Context, f func() error) (account, error) {
	runtime.GC()
	var a account
	before, err := serverstats.Of(ctx, g.server)
	if err != nil {
		return a, err
	}
	inits := g.target.InitCalls()
	if err = f(); err != nil {
		return a, err
	}
	a.inits = g.target.InitCalls() - inits
	after, err := serverstats.Of(ctx, g.server)
	a.stats = after.Since(before)
	return a, err
}

// allocated is how many objects the process has allocated so far.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:objects"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return sample[0].Value.Uint64()
}

// serverUS is the server's time for a decision in µs, nil where it cannot be had.
func (a *account) serverUS() *float64 {
	if !a.stats.Known || a.stats.EvalCalls == 0 {
		return nil
	}
	return pointer(a.stats.UsecPerDecision())
}

// unexplained is how many calls of scripts the server executed beyond those that were sent.
func (a *account) unexplained(sent int64) int64 {
	if !a.stats.Known {
		return 0
	}
	return a.stats.EvalCalls - a.inits - sent
}
