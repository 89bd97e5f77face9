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

// segment is one measurement of one limiter. It has its own keyspace, and a connection for calls that are not made by
// load.
type segment struct {
	*session
	limiter    *limiter.Limiter
	prefix     string
	target     *load.Target
	clock      load.Stopwatch
	connection *load.Connection
}

// segment prepares the calls of one limiter.
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

// keyspace returns a segment without connections.
func (s *session) keyspace(c *limiter.Limiter) *segment {
	s.segments++
	g := &segment{session: s, limiter: c, clock: load.NewClock(s.wall.Now())}
	g.prefix = fmt.Sprintf("%s%06d:", s.server.Prefix, s.segments) // of constant length, because longer keys cost more
	return g
}

// end closes the connections and deletes the segment's keys. It returns failed with an explanation, or its own error if
// failed is nil.
func (g *segment) end(ctx context.Context, failed error) error {
	g.target.Close()
	return g.sweep(ctx, g.explain(failed))
}

// sweep deletes keys, including those that a script derived from KEYS. After a failure or an interrupt, they are left
// for the end of the session. It returns failed, or its own error if failed is nil.
func (g *segment) sweep(ctx context.Context, failed error) error {
	if failed != nil || g.stopped() {
		return failed
	}
	return g.explain(redis.Delete(context.WithoutCancel(ctx), g.server.Client, g.prefix))
}

// explain explains an error. An error of the server names the server. Other errors name the limiter, such as an invalid
// reply, or a late request with on_late: fatal.
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

// ofServer reports whether an error came from the server or its connection.
func ofServer(err error) bool {
	var reply goredis.Error
	var network net.Error
	return errors.As(err, &reply) || errors.As(err, &network) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, goredis.ErrPoolTimeout)
}

// account holds what the server counted during a measurement.
type account struct {
	stats redis.Stats
	inits int64 // EVALSHA calls of an init
}

// measured runs f between two readings of the counters, after a garbage collection.
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

// serverUS returns the server's time per decision in µs, or nil if it is unknown.
func (a *account) serverUS() *float64 {
	if !a.stats.Known || a.stats.EvalCalls == 0 {
		return nil
	}
	return new(float64(a.stats.EvalUsec) / float64(a.stats.EvalCalls))
}

// unexplained returns how many more script calls the server executed than were sent.
func (o *played) unexplained() int64 {
	if !o.stats.Known {
		return 0
	}
	return o.stats.EvalCalls - o.inits - o.Sent
}
