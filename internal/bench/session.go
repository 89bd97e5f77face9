package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"ratelab/internal/host"
	"ratelab/internal/load"
	"ratelab/internal/message"
	"ratelab/internal/redis"
	"ratelab/internal/replay"
	"ratelab/internal/result"
	"ratelab/internal/run"
)

// gcPercent lets garbage grow for longer than usual while measuring, so that collections are rare. Between the
// measurements it is collected on purpose.
const gcPercent = 400

// session is a server under measurement.
type session struct {
	server *redis.Server
	spec   string
	wall   replay.Clock
	stop   <-chan struct{}
	began  time.Time

	vigil    *load.Vigil // nil where nobody watches
	segments int
	written  *redis.Replication // what a replica would get; nil as long as nothing was counted
	pacer    string
	places   places
	notes    []string
	kept     string // what an interrupted job has left on a given server
}

// newSession begins now.
func newSession(server *redis.Server, spec string, wall replay.Clock, stop <-chan struct{}) *session {
	return &session{server: server, spec: spec, wall: wall, stop: stop, began: wall.Now()}
}

// begin starts a server and tries the users' scripts of a plan, before they decide anything on it.
func begin(ctx context.Context, spec string, connections int, p *run.Plan, wall replay.Clock, stop <-chan struct{}) (
	*session, error) {
	server, note, err := startServer(ctx, spec, connections)
	if err != nil {
		return nil, err
	}
	scripts := host.Server{Spec: spec, Running: server, Clock: wall}
	if _, err := scripts.Try(ctx, p); err != nil {
		server.Close()
		return nil, err
	}
	s := newSession(server, spec, wall, stop)
	if note != "" {
		s.note(note)
	}
	return s, nil
}

// renew gives the session a new server if its own was started here. What a process decides as it starts, such as where
// its memory lies and the seed of its hash tables, makes one script quicker than another for as long as it lives; and
// one that has written down what it would send to a replica goes on doing so for seconds.
func (s *session) renew(ctx context.Context, connections int) error {
	if !s.server.Own {
		return nil
	}
	if err := s.close(ctx, nil); err != nil {
		return err
	}
	spec := cmp.Or(s.spec, s.server.Kind) // what was chosen once is not to be looked for again
	server, _, err := startServer(ctx, spec, connections)
	if err != nil {
		return err
	}
	s.server, s.places, s.written = server, place(ctx, server), nil
	return s.watch(ctx)
}

// watch begins to look whether the server stands still, until close.
func (s *session) watch(ctx context.Context) (err error) {
	s.vigil, err = load.KeepVigil(ctx, s.server.Open, load.NewClock(s.wall.Now()))
	return redis.Explain(err, s.server)
}

// mostInBatches is how long a server may be silent that decides batches in virtual time for several at once: nothing is
// timed then, and each batch keeps it busy for some 50 ms.
const mostInBatches = 500 * time.Millisecond

// silences are a reason if the server was silent for longer than most since it was last asked: the longest silence.
func (s *session) silences(where string, most time.Duration) []result.Reason {
	longest := s.vigil.Silence()
	if longest.Lasted <= most {
		return nil
	}
	return []result.Reason{s.reason(where, longest)}
}

// reason is one of load's, written down.
func (s *session) reason(where string, r load.Reason) result.Reason {
	out := result.Reason{Code: r.Code, Where: where, Statement: r.Sentence}
	if r.Lasted > 0 {
		out.LastedUS, out.AtUS = new(r.Lasted.Microseconds()), new(max(0, s.since(r.At)))
	}
	if r.Code == load.ReasonSilence {
		out.Statement += fmt.Sprintf(", %v after the start", r.At.Sub(s.began).Round(time.Millisecond))
	}
	return out
}

// quietly sets the garbage collector for measuring, and gives what sets it back.
func quietly() (back func()) {
	before := debug.SetGCPercent(gcPercent)
	return func() { debug.SetGCPercent(before) }
}

// note tells the reader of the result something, once.
func (s *session) note(text string) {
	if !slices.Contains(s.notes, text) {
		s.notes = append(s.notes, text)
	}
}

// stopped reports whether the job was told to stop.
func (s *session) stopped() bool { return message.Closed(s.stop) }

// since is how long the session has lasted, in µs.
func (s *session) since(at time.Time) int64 { return at.Sub(s.began).Microseconds() }

// deleting is what a job is granted that was told to stop, or has failed, to delete its keys on a given server.
const deleting = 500 * time.Millisecond

// close deletes what is left under the server's prefix and ends the server if it is ours. After a failure, which it
// returns, it is tried all the same. What it cannot delete on a given server is noted.
func (s *session) close(ctx context.Context, failed error) error {
	s.vigil.Close()
	s.written.Close()
	if !s.server.Own {
		failed = s.clear(ctx, failed)
	}
	if err := s.server.Close(); failed == nil {
		failed = err
	}
	return failed
}

// clear deletes the keys on a given server.
func (s *session) clear(ctx context.Context, failed error) error {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	if s.stopped() || failed != nil {
		go func() { s.wall.Sleep(ctx, deleting); cancel() }()
	}
	err := errors.New("the server does not answer")
	if !s.server.Hangs() {
		_, err = redis.Delete(ctx, s.server.Client, s.server.Prefix)
	}
	if err == nil {
		return failed
	}
	kept := s.server.Kept()
	switch {
	case kept == "":
		return failed
	case failed == nil && s.stopped():
		s.kept = kept
		return nil
	}
	return fmt.Errorf("%w; %s", cmp.Or(failed, redis.Explain(err, s.server)), kept)
}
