// Package host runs limiters' scripts in virtual time on the servers of package redis. Its Server is a run.Server. It
// tries users' scripts on a private server first. It measures nothing.
package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"ratelab/internal/message"
	"ratelab/internal/redis"
	"ratelab/internal/replay"
	"ratelab/internal/result"
	"ratelab/internal/run"
	"ratelab/internal/sequence"
	"ratelab/internal/virtualtime"
)

// Server is a run.Server: one server for all rows, or an embedded one for each.
type Server struct {
	Spec string // of redis.Start
	// Running is a server that is used instead of starting one; nil: Start starts one, and Close ends it.
	Running *redis.Server
	Clock   replay.Clock
	Stop    <-chan struct{} // closed: stop early

	all     []*redis.Server
	private map[string]*redis.Server // of users' scripts, by file
	scripts []*onServer              // opened since the last Clean

	hurry chan struct{} // closed some time after Stop, so that batches can finish
	done  chan struct{}
	kept  string
}

var _ run.Server = (*Server)(nil)

// Start starts a server for that many rows. Errors are those of redis.Start; a *redis.BadSpec is a *replay.InputError.
func (s *Server) Start(ctx context.Context, rows int) error {
	if s.Running != nil {
		s.begin(s.Running)
		return nil
	}
	rows = max(rows, 1)
	count := 1
	if s.Spec == redis.KindEmbedded {
		count = rows // each has one lock and one Lua at a time
	}
	s.begin()
	for range count {
		one, err := redis.Start(ctx, s.Spec, redis.WithPoolSize(rows+1))
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

// begin sets the servers, and watches Stop.
func (s *Server) begin(servers ...*redis.Server) {
	s.all, s.private, s.scripts, s.kept = servers, map[string]*redis.Server{}, nil, ""
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

// Close ends the servers that Start, Private and Open have started.
func (s *Server) Close() {
	close(s.done)
	for _, one := range slices.Concat(s.all, slices.Collect(maps.Values(s.private))) {
		if one != s.Running {
			one.Close() // the figures are in; what is left of a server of ours ends with the process
		}
	}
}

// Describe names the server for the document, and reports whether the user gave it.
func (s *Server) Describe() (about result.Server, given bool) {
	one := s.all[0]
	return result.Server{Kind: one.Kind, Name: one.Name, Version: one.Version, Transport: one.Transport}, !one.Own
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
	one, err := redis.StartPrivate(ctx, s.Spec, s.prefix(), redis.ScriptMemory)
	if err != nil {
		return nil, err
	}
	other := &Server{Spec: one.Kind, Clock: s.Clock, Stop: s.Stop}
	other.begin(one)
	return other, nil
}

// Open prepares a limiter's script for the row of that number.
func (s *Server) Open(ctx context.Context, l *run.Limiter, start time.Time, behind time.Duration, row int) (
	run.Script, error) {
	one, err := s.of(ctx, l, row)
	if err != nil {
		return nil, err
	}
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

// of is the server of a row. Where Start has started the servers, each user's script has its own, so that no other row
// waits for a script that loops.
func (s *Server) of(ctx context.Context, l *run.Limiter, row int) (*redis.Server, error) {
	one := s.all[row%len(s.all)]
	if !one.Own || one == s.Running || one.Bounded || !l.Program.Foreign {
		return one, nil
	}
	if s.private[l.File] == nil {
		private, err := redis.StartPrivate(ctx, s.Spec, "", redis.ScriptMemory)
		if err != nil {
			return nil, err
		}
		s.private[l.File] = private
	}
	return s.private[l.File], nil
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
