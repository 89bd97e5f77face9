package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"

	goredis "github.com/redis/go-redis/v9"

	"ratelab/internal/limiter"
	"ratelab/internal/load"
	"ratelab/internal/message"
	"ratelab/internal/redis"
)

// segment is one measurement of one limiter: a keyspace of its own, and a connection where the calls are not load's.
type segment struct {
	*session
	limiter    *limiter.Limiter
	prefix     string
	target     *load.Target
	clock      load.Stopwatch
	connection *load.Connection
}

// segment prepares calls of one limiter.
func (s *session) segment(ctx context.Context, c *limiter.Limiter) (*segment, error) {
	g := s.keyspace(c)
	server := load.Endpoint{Client: s.server.Client, Open: s.server.Open}
	var err error
	g.target, err = load.Prepare(ctx, server, c.Program.InKeyspace(g.prefix), g.clock)
	if err != nil {
		return nil, g.explain(err)
	}
	if g.connection, err = g.target.Connect(ctx); err != nil {
		return nil, g.end(ctx, err)
	}
	return g, nil
}

// keyspace is a segment without connections.
func (s *session) keyspace(c *limiter.Limiter) *segment {
	s.segments++
	g := &segment{session: s, limiter: c, clock: load.NewClock(s.wall.Now())}
	g.prefix = fmt.Sprintf("%s%06d:", s.server.Prefix, s.segments) // of one length: a longer key costs more
	return g
}

// end closes the connections and deletes the segment's keys. It returns failed, put into our words, or else its own
// error.
func (g *segment) end(ctx context.Context, failed error) error {
	g.target.Close()
	return g.sweep(ctx, g.explain(failed))
}

// sweep deletes keys that a script derived from those in KEYS. After a failure, which it returns, and an interrupt they
// are left to the session's end. The error is else its own.
func (g *segment) sweep(ctx context.Context, failed error) error {
	if failed != nil || g.stopped() {
		return failed
	}
	return g.explain(redis.Delete(context.WithoutCancel(ctx), g.server.Client, g.prefix))
}

// explain puts an error into our words: the server's where that is to blame, else with the limiter's name, as for a
// reply that is none, or a request that came too late for on_late: fatal.
func (g *segment) explain(err error) error {
	if err == nil || errors.Is(err, message.ErrInterrupted) {
		return err
	}
	if ofServer(err) {
		err = redis.Explain(err, g.server)
	}
	var gone *redis.Unavailable
	if errors.As(err, &gone) || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%s: %w", g.limiter.Label, err)
}

// ofServer reports whether an error came from the server or from the way to it.
func ofServer(err error) bool {
	var reply goredis.Error
	var network net.Error
	return errors.As(err, &reply) || errors.As(err, &network) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, goredis.ErrPoolTimeout)
}

// account is what the server counted while something was measured.
type account struct {
	stats redis.Stats
	inits int64 // EVALSHA calls of an init
}

// measured runs f between two readings of the counters, on a heap without garbage.
func (g *segment) measured(ctx context.Context, f func() error) (account, error) {
	runtime.GC()
	var a account
	before, err := g.server.Stats(ctx)
	if err != nil {
		return a, err
	}
	inits := g.target.InitCalls()
	if err = f(); err != nil {
		return a, err
	}
	a.inits = g.target.InitCalls() - inits
	after, err := g.server.Stats(ctx)
	a.stats = after.Since(before)
	return a, err
}

// serverUS is the server's time for a decision in µs, nil where it cannot be had.
func (a *account) serverUS() *float64 {
	if !a.stats.Known || a.stats.EvalCalls == 0 {
		return nil
	}
	return new(float64(a.stats.EvalUsec) / float64(a.stats.EvalCalls))
}

// unexplained is how many calls of scripts the server executed beyond those that were sent.
func (o *played) unexplained() int64 {
	if !o.stats.Known {
		return 0
	}
	return o.stats.EvalCalls - o.inits - o.Sent
}
