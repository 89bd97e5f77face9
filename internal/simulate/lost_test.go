package simulate

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"ratelab/internal/lineup"
	"ratelab/internal/redisserver"
	"ratelab/internal/redisserver/redisservertest"
)

// meanwhile does something once, in the middle of a job.
type meanwhile struct{ do func() }

func (m *meanwhile) Scenario(string, int, int, int64) {}

func (m *meanwhile) Requests(int64) {
	if m.do != nil {
		m.do()
		m.do = nil
	}
}

// crowdedHour is more than one batch, under a limit that only the beginning reaches.
const crowdedHour = `name: crowded-hour
question: What if somebody removes the keys in the middle?
limit: {requests: 100, per: 1h}
phases:
  - {name: all, duration: 30m, constant: 20000}
expect:
  - {algorithm: sliding-window-log, peak_window_admitted: 100}
`

// disturbed is the error of a job on the server, to which something is done in the middle: once there is a key of the
// run, and before the traffic ends, since whoever reports its progress reads the traffic.
func disturbed(t *testing.T, j *Job, s *redisserver.Server, do func(ctx context.Context)) error {
	t.Helper()
	j.Server = "unix://" + redisservertest.Socket(t, s)
	j.Progress = &meanwhile{func() {
		for len(s.Client.Keys(t.Context(), "*sentinel*").Val()) == 0 || !hasKeys(t, j, s) {
			runtime.Gosched()
		}
		do(t.Context())
	}}
	result, err := wall(j).Run(t.Context())
	if err == nil {
		t.Errorf("no error; %+v", result.Document.Runs[0].Results[0].Result)
	}
	return err
}

// hasKeys reports whether the job's row has a key, if it ever has one.
func hasKeys(t *testing.T, j *Job, s *redisserver.Server) bool {
	label := j.Algorithms[0].Label
	return label == "none" || len(s.Client.Keys(t.Context(), "*"+label+":{*").Val()) > 0
}

// Keys that vanish in the middle of a run end it: they are no miss of an expectation, and no other figure.
func TestKeysThatVanishEndARun(t *testing.T) {
	s := redisservertest.Private(t)
	for _, label := range []string{"fixed-window", "gcra", "sliding-window-log", "none"} {
		j := job(written(t, crowdedHour))
		j.Algorithms = choices(t, label)
		err := disturbed(t, j, s, func(ctx context.Context) { s.Client.FlushAll(ctx) })
		var lost *lineup.LostError
		if !errors.As(err, &lost) || !strings.HasPrefix(err.Error(), label+": ") ||
			!strings.Contains(err.Error(), "FLUSHALL") {
			t.Errorf("%s: %v", label, err)
		}
		if n := s.Client.DBSize(t.Context()).Val(); n != 0 {
			t.Errorf("%s: %d keys are left", label, n)
		}
	}
}

// One key suffices, whether the script makes it anew or not.
func TestAKeyThatSomebodyDeletesEndsARun(t *testing.T) {
	s := redisservertest.Private(t)
	j := job(written(t, crowdedHour))
	j.Algorithms = choices(t, "sliding-window-log")
	err := disturbed(t, j, s, func(ctx context.Context) {
		for _, key := range s.Client.Keys(ctx, "*k0*").Val() {
			s.Client.Del(ctx, key)
		}
	})
	var lost *lineup.LostError
	if !errors.As(err, &lost) || !strings.Contains(err.Error(), "sliding-window-log:{k0}") {
		t.Errorf("%v", err)
	}
}

// On the wall clock it is noticed at the end.
func TestKeysThatVanishEndARunOnTheWallClock(t *testing.T) {
	s := redisservertest.Private(t)
	j := job(written(t, `name: second
question: What if somebody removes the keys in the middle?
limit: {requests: 5, per: 1s}
phases:
  - {name: all, duration: 500ms, constant: 300}
`))
	j.Algorithms, j.Clock = choices(t, "gcra"), RealClock
	err := disturbed(t, j, s, func(ctx context.Context) { s.Client.FlushAll(ctx) })
	var lost *lineup.LostError
	if !errors.As(err, &lost) {
		t.Errorf("%v", err)
	}
}

// A server that may push out keys is not used unless that is said, and an eviction voids the run.
func TestAServerThatEvicts(t *testing.T) {
	s := redisservertest.Private(t)
	s.Client.ConfigSet(t.Context(), "maxmemory-policy", "allkeys-lru")
	run := func(allowed bool) error {
		j := wall(job(written(t, crowdedHour)))
		j.Algorithms, j.Server, j.AllowEviction = choices(t, "gcra"), "unix://"+redisservertest.Socket(t, s), allowed
		_, err := j.Run(t.Context())
		return err
	}
	if err := run(false); err != nil {
		t.Errorf("without maxmemory: %v", err)
	}
	s.Client.ConfigSet(t.Context(), "maxmemory", "100mb")
	var refused *redisserver.Unavailable
	const why = "(maxmemory 104857600 bytes, policy allkeys-lru)"
	if err := run(false); !errors.As(err, &refused) || !strings.Contains(err.Error(), why) ||
		!strings.Contains(err.Error(), "--allow-eviction") {
		t.Errorf("%v", err)
	}
	if err := run(true); err != nil {
		t.Errorf("allowed, and nothing evicted: %v", err)
	}
	j := job(written(t, crowdedHour))
	j.Algorithms, j.AllowEviction = choices(t, "none"), true
	err := disturbed(t, j, s, func(ctx context.Context) {
		s.Client.Set(ctx, "theirs", 1, 0)
		s.Client.ConfigSet(ctx, "maxmemory", "1")
		s.Client.Set(ctx, "more", 1, 0)
		s.Client.ConfigSet(ctx, "maxmemory", "0")
	})
	var lost *lineup.LostError
	if !errors.As(err, &lost) || !strings.Contains(err.Error(), "it evicted ") {
		t.Errorf("%v", err)
	}
}
