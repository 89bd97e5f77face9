package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"ratelab/internal/benchresult"
	"ratelab/internal/load"
	"ratelab/internal/redisserver"
	"ratelab/internal/serverstats"
	"ratelab/internal/waiting"
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

	vigil    *load.Vigil   // nil where nobody watches
	lasts    time.Duration // how long one measurement, of all entries in turns, takes at most
	segments int
	written  *serverstats.Replication // what a replica would get; nil as long as nothing was counted
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
		s.note("others use the server too: its µs per decision, its counts of commands, the check that it executed " +
			"as many calls as were sent, and the memory of keys are unavailable")
	}
	return s
}

// renew gives the session a new server if its own was started here. What a process decides as it starts, such as where
// its memory lies and the seed of its hash tables, makes one script quicker than another for as long as it lives; and
// one that has written down what it would send to a replica goes on doing so for seconds.
func (s *session) renew(ctx context.Context, connections int, eviction bool) error {
	if !s.server.Own {
		return nil
	}
	if err := s.close(ctx, nil); err != nil {
		return err
	}
	spec := cmp.Or(s.spec, s.server.Kind) // what was chosen once is not to be looked for again
	server, _, err := startServer(ctx, spec, connections, eviction, nil)
	if err != nil {
		return err
	}
	s.server, s.places, s.written = server, place(ctx, server), nil
	return s.watch(ctx)
}

// watch begins to look whether the server stands still, until close.
func (s *session) watch(ctx context.Context) (err error) {
	s.vigil, err = load.KeepVigil(ctx, s.server.Open, load.NewClock(s.now()))
	return redisserver.Explain(err, s.server)
}

// mostInBatches is how long a server may be silent that decides batches in virtual time for several at once: nothing is
// timed then, and each batch keeps it busy for some 50 ms.
const mostInBatches = 500 * time.Millisecond

// silences are a reason if the server was silent for longer than most since it was last asked: the longest silence.
func (s *session) silences(where string, most time.Duration) []benchresult.Reason {
	var longest load.Silence
	for _, one := range s.vigil.Silences() {
		if one.Lasted > longest.Lasted {
			longest = one
		}
	}
	if longest.Lasted <= most {
		return nil
	}
	return []benchresult.Reason{s.reason(where, longest.Reason())}
}

// heard adds to the reasons of a measurement that the server stood still during it, also while none of its requests was
// under way, as at a low rate or between two of its parts. Where the requests tell of silence too, the longest counts.
func (s *session) heard(where string, reasons []benchresult.Reason) []benchresult.Reason {
	silent := s.silences(where, load.MostSilence)
	i := slices.IndexFunc(reasons, isSilence)
	if i < 0 || silent == nil {
		return append(reasons, silent...)
	}
	if *silent[0].LastedUS > *reasons[i].LastedUS {
		silent[0].Where = reasons[i].Where
		reasons[i] = silent[0]
	}
	return reasons
}

func isSilence(r benchresult.Reason) bool { return r.Code == load.ReasonSilence }

// reason is one of load's, written down.
func (s *session) reason(where string, r load.Reason) benchresult.Reason {
	out := benchresult.Reason{Code: r.Code, Where: where, Statement: r.Sentence}
	if r.Lasted > 0 {
		out.LastedUS, out.AtUS = pointer(r.Lasted.Microseconds()), pointer(max(0, s.since(r.At)))
	}
	if isSilence(out) {
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
func (s *session) stopped() bool { return waiting.Closed(s.stop) }

// since is how long the session has lasted, in µs.
func (s *session) since(at time.Time) int64 { return at.Sub(s.began).Microseconds() }

// close deletes what is left under the server's prefix and ends the server if it is ours. After a failure, which it
// returns, it is tried all the same.
func (s *session) close(ctx context.Context, failed error) error {
	s.vigil.Close()
	s.written.Close()
	if !s.server.Own {
		_, err := serverstats.Delete(context.WithoutCancel(ctx), s.server.Client, s.server.Prefix)
		if err != nil {
			s.server.LeftKeys()
		}
		if failed == nil {
			failed = redisserver.Explain(err, s.server)
		}
	}
	if err := s.server.Close(); failed == nil {
		failed = err
	}
	return failed
}
