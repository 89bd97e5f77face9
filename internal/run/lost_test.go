package run_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
	"ratelab/internal/virtualtime"
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
  - {algorithm: sliding-window-log, peak: 100}
`

// disturbed is the error of a job on the server, to which something is done in the middle: once there is a key of the
// run, and before the traffic ends, since whoever reports its progress reads the traffic.
func disturbed(t *testing.T, j *asked, s *redis.Server, do func(ctx context.Context)) error {
	t.Helper()
	j.Server = "unix://" + redistest.Socket(t, s)
	j.Progress = &meanwhile{func() {
		for len(s.Client.Keys(t.Context(), "*"+j.Algorithms[0].Label+":{*").Val()) == 0 {
			runtime.Gosched()
		}
		do(t.Context())
	}}
	result, err := j.Run(t.Context())
	if err == nil {
		t.Errorf("no error; %+v", result.Document.Runs[0].Results[0].Result)
	}
	return err
}

// Keys that vanish in the middle of a run end it: they are no miss of an expectation, and no other figure.
func TestKeysThatVanishEndARun(t *testing.T) {
	s := redistest.Private(t)
	j := job(written(t, crowdedHour))
	j.Algorithms = choices(t, "sliding-window-log")
	err := disturbed(t, j, s, func(ctx context.Context) { s.Client.FlushAll(ctx) })
	var lost *virtualtime.LostError
	if !errors.As(err, &lost) || !strings.HasPrefix(err.Error(), "sliding-window-log: ") ||
		!strings.Contains(err.Error(), "FLUSHALL") {
		t.Error(err)
	}
	if n := s.Client.DBSize(t.Context()).Val(); n != 0 {
		t.Errorf("%d keys are left", n)
	}
}
