package bench

import (
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"time"

	"ratelab/internal/redisserver"
	"ratelab/internal/serverstats"
)

// errStopped ends what was under way when the job was told to stop.
var errStopped = errors.New("stopped")

// gcPercent lets garbage grow for longer than usual while measuring, so that collections are rare. Between the
// measurements it is collected on purpose.
const gcPercent = 400

// session is a server under measurement.
type session struct {
	server *redisserver.Server
	spec   string
	now    func() time.Time
	sleep  func(context.Context, time.Duration) error
	stop   <-chan struct{}
	began  time.Time

	lasts    time.Duration // how long one measurement, of all candidates in turns, takes at most
	segments int
	pacer    string
	places   places
	notes    []string
}

// newSession completes s for a server; note, unless it is empty, says why it is this one.
func newSession(server *redisserver.Server, spec, note string, s *session) *session {
	s.server, s.spec = server, spec
	if note != "" {
		s.note(note)
	}
	if server.Warning != "" {
		s.note(server.Warning)
	}
	if !server.Own {
		s.note("others use the server too: its µs per decision, its counts of commands, the check that it executed as many calls " +
			"as were sent, and the memory of keys are unavailable")
	}
	return s
}

// quietly sets the garbage collector for measuring, and gives what sets it back.
func quietly() (back func()) {
	before := debug.SetGCPercent(gcPercent)
	return func() { debug.SetGCPercent(before) }
}

// note tells the reader of the recording something, once.
func (s *session) note(text string) {
	if !slices.Contains(s.notes, text) {
		s.notes = append(s.notes, text)
	}
}

// stopped reports whether the job was told to stop.
func (s *session) stopped() bool { return isClosed(s.stop) }

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// since is how long the session has lasted, in µs.
func (s *session) since(at time.Time) int64 { return at.Sub(s.began).Microseconds() }

// close deletes what is left under the server's prefix and ends the server if it is ours. After a failure, which it
// returns, it is tried all the same.
func (s *session) close(ctx context.Context, failed error) error {
	if !s.server.Own {
		_, err := serverstats.Delete(context.WithoutCancel(ctx), s.server.Client, s.server.Prefix)
		if failed == nil {
			failed = redisserver.Explain(err, s.server)
		}
	}
	if err := s.server.Close(); failed == nil {
		failed = err
	}
	return failed
}
