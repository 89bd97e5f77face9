// Package host has limiters' scripts decide in virtual time on the servers of package redis: its Server is what run
// asks for. Users' scripts are tried first, on a private server. It measures nothing.
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
	// Running is in the place of one that Start starts and Close ends; nil: there is none.
	Running *redis.Server
	Clock   replay.Clock
	Stop    <-chan struct{} // closed: end early

	all     []*redis.Server
	private map[string]*redis.Server // of users' scripts, by file
	scripts []*onServer              // opened since the last Clean

	hurry chan struct{} // closed when the run was told to stop, and had time to finish what it had begun
	done  chan struct{}
	kept  string
}

var _ run.Server = (*Server)(nil)

// Start gets a server for so many rows. Errors are those of redis.Start; a *redis.BadSpec is a *replay.InputError.
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

// What a run is granted that was told to stop: first to finish what it has begun, so that all rows end at the same
// request, and at the end to delete its keys.
const (
	finishing = 300 * time.Millisecond
	deleting  = time.Second
)

// begin watches for the end of a run, with these servers.
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

// Describe names the server for the document, and reports whether it is somebody else's.
func (s *Server) Describe() (about result.Server, given bool) {
	one := s.all[0]
	return result.Server{Kind: one.Kind, Name: one.Name, Version: one.Version, Transport: one.Transport}, !one.Own
}

// Kept says which keys a given server still has; "": none.
func (s *Server) Kept() string { return s.kept }

// prefix is that of the keys; "": of all servers of ours.
func (s *Server) prefix() string {
	switch {
	case s.Running != nil:
		return s.Running.Prefix
	case len(s.all) > 0:
		return s.all[0].Prefix
	}
	return ""
}

// Private is a server of our own in place of this one, with keys of the same prefix.
func (s *Server) Private(ctx context.Context) (run.Server, error) {
	one, err := redis.StartPrivate(ctx, s.Spec, s.prefix(), redis.ScriptMemory)
	if err != nil {
		return nil, err
	}
	other := &Server{Spec: one.Kind, Clock: s.Clock, Stop: s.Stop}
	other.begin(one)
	return other, nil
}

// Open prepares a limiter's script as the row of that number.
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

// of is the server on which a limiter decides as row i. Where Start has started it, each user's script has one of its
// own: no other row waits for a script that loops.
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

// Confirm sends the commands of a sequence, which is the row of that number, and wants the same replies.
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

// Clean deletes what the scripts have left that were opened since the last time. After a failure, which it returns, it
// is tried all the same on a given server, and what cannot be deleted there is counted. A server of ours ends with such
// a run, keys and all.
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
