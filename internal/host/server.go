// Package host runs limiters' scripts in virtual time on the servers of package redis. Its Server is a run.Server. It
// tries users' scripts on a private server first. It measures nothing.
package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"ratelab/internal/limiter"
	"ratelab/internal/message"
	"ratelab/internal/redis"
	"ratelab/internal/replay"
	"ratelab/internal/result"
	"ratelab/internal/run"
	"ratelab/internal/sequence"
	"ratelab/internal/virtualtime"
)

// Server is a run.Server: one server for all rows. Without users' scripts each row has an embedded one of its own.
type Server struct {
	Spec string // of redis.Start, or redis.KindAuto
	// Foreign says that users' scripts take part. Without them redis.KindAuto is the embedded server.
	Foreign bool
	// Running is a server that is used instead of starting one; nil: Start starts one, and Close ends it.
	Running *redis.Server
	Clock   replay.Clock
	Stop    <-chan struct{} // closed: stop early

	all     []*redis.Server
	scripts []*onServer // opened since the last Clean

	hurry chan struct{} // closed some time after Stop, so that batches can finish
	done  chan struct{}
	kept  string

	fallback string // why redis.KindAuto is the embedded server; "": it is another one, or none of users' scripts
}

var _ run.Server = (*Server)(nil)

// Start starts a server for that many rows. Errors are those of redis.Start; a *redis.BadSpec is a *replay.InputError.
func (s *Server) Start(ctx context.Context, rows int) error {
	if s.Running != nil {
		s.begin(s.Running)
		return nil
	}
	if err := s.choose(ctx); err != nil {
		return err
	}
	rows = max(rows, 1)
	count, options := 1, []redis.Option{redis.WithPoolSize(rows + 1)}
	if s.Foreign {
		options = append(options, redis.ForTrial(redis.ScriptMemory))
	} else if s.Spec == redis.KindEmbedded {
		count = rows // each has one lock and one Lua at a time
	}
	s.begin()
	for range count {
		one, err := redis.Start(ctx, s.Spec, options...)
		if err != nil {
			s.Close()
			var bad *redis.BadSpec
			if errors.As(err, &bad) {
				return &replay.InputError{Err: err}
			}
			return err
		}
		s.all = append(s.all, one)
	}
	return nil
}

// The time that a stopped run gets to finish its batches, so that all rows end at the same request, and then to delete
// its keys.
const (
	finishing = 300 * time.Millisecond
	deleting  = time.Second
)

// choose replaces redis.KindAuto, once, by the server that decides.
func (s *Server) choose(ctx context.Context) (err error) {
	switch {
	case s.Spec != redis.KindAuto:
	case s.Foreign:
		s.Spec, s.fallback, err = redis.Choose(ctx)
	default:
		s.Spec = redis.KindEmbedded
	}
	return err
}

// begin sets the servers, and watches Stop.
func (s *Server) begin(servers ...*redis.Server) {
	s.all, s.scripts, s.kept = servers, nil, ""
	s.hurry, s.done = make(chan struct{}), make(chan struct{})
	go func() {
		select {
		case <-s.done:
		case <-s.Stop:
			s.Clock.Sleep(context.Background(), finishing)
			close(s.hurry)
		}
	}()
}

// Close ends the servers that Start and Private have started.
func (s *Server) Close() {
	close(s.done)
	for _, one := range s.all {
		if one != s.Running {
			one.Close() // the figures are in; what is left of a server of ours ends with the process
		}
	}
}

// Describe names the server for the document, and reports whether the user gave it.
func (s *Server) Describe() (about result.Server, given bool) {
	one := s.all[0]
	return result.Server{Kind: one.Kind, Name: one.Name, Version: one.Version, Transport: one.Transport,
		Fallback: s.fallback}, !one.Own
}

// Kept names the keys that a given server still has; "": none.
func (s *Server) Kept() string { return s.kept }

// prefix is the keys' prefix; "" on servers of our own.
func (s *Server) prefix() string {
	switch {
	case s.Running != nil:
		return s.Running.Prefix
	case len(s.all) > 0:
		return s.all[0].Prefix
	}
	return ""
}

// Private starts a server of our own that replaces this one, with the same prefix of keys.
func (s *Server) Private(ctx context.Context) (run.Server, error) {
	if err := s.choose(ctx); err != nil {
		return nil, err
	}
	one, err := redis.StartPrivate(ctx, s.Spec, s.prefix(), redis.ScriptMemory)
	if err != nil {
		return nil, err
	}
	other := &Server{Spec: one.Kind, Clock: s.Clock, Stop: s.Stop, fallback: s.fallback}
	other.begin(one)
	return other, nil
}

// Open prepares a limiter's script for the row of that number.
func (s *Server) Open(ctx context.Context, l *limiter.Limiter, start time.Time, behind time.Duration, row int) (
	run.Script, error) {
	one := s.all[row%len(s.all)]
	r, err := Runner(ctx, one, l.Program, virtualtime.Options{Start: start, Behind: behind, Stop: s.hurry}, s.Clock)
	if err != nil {
		return nil, err
	}
	script := &onServer{Runner: r, limiter: l, server: one}
	if l.Gateways != nil {
		turns := l.Gateways.TurnsAfter(0)
		script.route = turns.Next
	}
	s.scripts = append(s.scripts, script)
	return script, nil
}

// Confirm sends the commands of a sequence's row, and fails unless the replies are the same.
func (s *Server) Confirm(ctx context.Context, calls []sequence.Call, row int) error {
	one := s.all[row%len(s.all)]
	// Deadlines are placed after the server's own clock, which need not be ours.
	now, err := one.Client.Time(ctx).Result()
	if err == nil {
		err = sequence.Confirm(ctx, one, !one.Own, one.Prefix, calls, now, s.Stop)
	}
	var difference *sequence.DifferenceError
	if err == nil || errors.Is(err, message.ErrStopped) || errors.As(err, &difference) {
		return err
	}
	return redis.Explain(err, one)
}

// Clean deletes the keys of the scripts that were opened since the last call. After a failure, which it returns, it
// deletes only on a given server, and counts the keys that it cannot delete. A server of our own ends with such a run,
// and its keys with it.
func (s *Server) Clean(ctx context.Context, failed error) error {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	go func() {
		select {
		case <-ctx.Done():
		case <-s.hurry:
			s.Clock.Sleep(ctx, deleting)
			cancel()
		}
	}()
	own := s.all[0].Own
	var undone error
	for _, script := range s.scripts {
		var err error
		switch {
		case own && (failed != nil || message.Closed(s.hurry)):
			if script.Unanswered() { // it may hang in the script
				script.server.Abandon()
			}
		case script.server.Hangs():
			err = errors.New("the server does not answer")
		default:
			err = script.Close(ctx)
		}
		undone = cmp.Or(undone, err)
	}
	s.scripts = nil
	if undone == nil || own {
		return cmp.Or(failed, undone)
	}
	s.kept = s.all[0].Kept()
	if message.Closed(s.hurry) {
		return failed
	}
	if failed = cmp.Or(failed, undone); s.kept != "" {
		failed = fmt.Errorf("%w; %s", failed, s.kept)
	}
	return failed
}
