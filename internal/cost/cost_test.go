package cost

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/callgrind/callgrindtest"
	"ratelab/internal/costresult"
	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/load"
	"ratelab/internal/longtest"
	"ratelab/internal/redisserver"
	"ratelab/internal/replay"
	"ratelab/lua"
)

func algorithm(t *testing.T, label string) Subject {
	t.Helper()
	c, err := algorithms.Parse(label)
	if err != nil {
		t.Fatal(err)
	}
	return Algorithm(c)
}

// counted does a job, or skips the test where there is no valgrind.
func counted(t *testing.T, j *Job) *costresult.Document {
	t.Helper()
	j.Server, j.Now, j.Sleep = redisserver.KindProcess, time.Now, load.Wait
	d, err := j.Run(t.Context())
	callgrindtest.Check(t, err)
	return d
}

// Without its fast path gcra is dearer where it takes it, in a burst at 10/1s, and nowhere else. The same script under
// two labels costs the same.
func TestALostFastPathIsSeenWhereItIsTaken(t *testing.T) {
	longtest.Skip(t, "counts under valgrind")
	source, err := lua.Source("gcra")
	if err != nil {
		t.Fatal(err)
	}
	slow := strings.Replace(source, "if time and before > 0 and", "if time and before > 0 and false and", 1)
	if slow == source {
		t.Fatal("the fast path is elsewhere")
	}
	d := counted(t, &Job{
		Subjects: []Subject{version(t, "base", source), version(t, "same", source), version(t, "head", slow)},
		Limits:   []limit.Policy{{Requests: 10, Window: time.Second}},
		States:   []string{costresult.First, costresult.Burst},
		InTurns:  true,
	})
	for i, base := range d.Of("base").Paths {
		same, head := d.Of("same").Paths[i], d.Of("head").Paths[i]
		if off := math.Abs(same.Instructions/base.Instructions - 1); off > 0.005 {
			t.Errorf("%s: the same script twice is %.2f%% off", base.State, 100*off)
		}
		dearer := head.Instructions/base.Instructions - 1
		if fast := base.State == costresult.Burst; fast && dearer < 0.05 || !fast && math.Abs(dearer) > 0.005 {
			t.Errorf("%s: without the fast path %+.2f%%", base.State, 100*dearer)
		}
	}
	if d.Rows[0].Algorithm != costresult.Control || d.Rows[0].Paths[0].RatioToControl != 1 {
		t.Errorf("the first row is %+v", d.Rows[0])
	}
}

// openTestStage is a native server, or the test is skipped.
func openTestStage(t *testing.T) *stage {
	t.Helper()
	s, err := openStage(t.Context(), redisserver.KindProcess, replay.Clock{Now: time.Now, Sleep: load.Wait})
	callgrindtest.Check(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// What each path of a limit of 4/1s is answered, worked by hand: what remains of four permits, of which one comes back
// each 250 ms; in a window of one second, what it has left.
func TestPathsByHand(t *testing.T) {
	s := openTestStage(t)
	const missing = -1
	for _, test := range []struct {
		label string
		want  map[string][]int64 // what remains after each request of a key
	}{
		{"gcra", map[string][]int64{
			costresult.First: {3}, costresult.Steady: {3}, costresult.Burst: {3, 2, 1, 0}, costresult.Rejected: {0},
			costresult.Expired: {3}, costresult.Cost2: {2}, costresult.CostB: {0},
		}},
		// A window lives through its last millisecond, so that a steady request in five opens one: of six, the first
		// and the last, the one before the path's.
		{"fixed-window", map[string][]int64{
			costresult.First: {3}, costresult.Steady: {2}, costresult.Burst: {3, 2, 1, 0}, costresult.Rejected: {0},
			costresult.Expired: {3}, costresult.CostB: {0},
		}},
		// four in the last second, of which the oldest has just left
		{"sliding-window-log", map[string][]int64{
			costresult.First: {3}, costresult.Steady: {0}, costresult.Burst: {3, 2, 1, 0}, costresult.Rejected: {0},
			costresult.Expired: {3}, costresult.Cost2: {0}, costresult.CostB: {0}, costresult.FullLog: {0},
		}},
		{"none", map[string][]int64{costresult.Rejected: {missing}, costresult.Expired: {missing}}},
	} {
		e, err := algorithm(t, test.label).Under(limit.Policy{Requests: 4, Window: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		for state, want := range test.want {
			p := situationOf(e).path(state)
			found, err := s.make(t.Context(), e, &p, situationOf(e).instant(time.Now(), p.late))
			if err != nil {
				t.Fatal(test.label, state, err)
			}
			if want[0] == missing {
				if p.missing == "" && found.soon[0].Verdict == p.verdict {
					t.Errorf("%s has a path %s: %+v", test.label, state, found.soon)
				}
				continue
			}
			for i := range want {
				if got := found.soon[i]; got.Verdict != p.verdict || got.Remaining != want[i] {
					t.Errorf("%s, %s, request %d: %+v; want %d left, verdict %d", test.label, state, i, got, want[i],
						p.verdict)
				}
			}
		}
	}
}

// A script that does otherwise than in virtual time is refused by its name.
func TestAnotherPathIsAnError(t *testing.T) {
	s := openTestStage(t)
	e, err := algorithm(t, "gcra").Under(limit.Policy{Requests: 4, Window: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	for problem, soon := range map[string]limit.Decision{
		"was allowed, and is rejected in virtual time":       {Verdict: limit.Rejected, Remaining: 3},
		"left 3 permits, and 2 to 2 in virtual time":         {Verdict: limit.Allowed, Remaining: 2},
		"was allowed, and is not configured in virtual time": {Verdict: limit.NotConfigured},
	} {
		found := &scene{soon: []limit.Decision{soon}, late: []limit.Decision{soon}}
		c, err := setUp(t.Context(), s.Server, "mine", e.Program.InKeyspace(problem), 1, found, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		var wrong *WrongPath
		if err := c.ask(t.Context(), []int64{1}, found); !errors.As(err, &wrong) ||
			!strings.Contains(err.Error(), "mine, ") || !strings.Contains(err.Error(), problem) {
			t.Errorf("%v; want %q", err, problem)
		}
	}
}

func TestJobsThatAreRefused(t *testing.T) {
	gcra := algorithm(t, "gcra")
	for want, j := range map[string]*Job{
		"--redis embedded":      {Server: "embedded"},
		"--redis model":         {Server: "model"},
		"runs already":          {Server: "redis://:secret@host"},
		`two rows named "gcra"`: {Server: "process", Subjects: []Subject{gcra, gcra}},
		"no such file":          {Server: "process", Subjects: []Subject{Own("", "nowhere.lua")}},
	} {
		j.Limits = costresult.DefaultLimits()
		err := j.Check()
		var bad *lineup.InputError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v; want %q", err, want)
		}
	}
}

// A job that is told to stop ends soon: without a row there is no document, with one it says that it is partial.
func TestAJobIsInterrupted(t *testing.T) {
	longtest.Skip(t, "counts under valgrind")
	openTestStage(t) // or skip
	stop := make(chan struct{})
	j := &Job{Subjects: []Subject{algorithm(t, "gcra")}, Limits: costresult.DefaultLimits()[:1], Stop: stop,
		Server: redisserver.KindProcess, Now: time.Now, Sleep: load.Wait,
		Progress: func(where string, done, _ int) {
			if done == 2 {
				close(stop)
			}
		}}
	d, err := j.Run(stopping(t.Context(), stop))
	callgrindtest.Check(t, err)
	if !d.Partial || len(d.Rows) != 2 || len(d.Rows[1].Paths) == 0 || len(d.Rows[1].Paths) > 2 {
		t.Errorf("partial %v, %d rows", d.Partial, len(d.Rows))
	}
}

func stopping(ctx context.Context, stop chan struct{}) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		<-stop
		cancel()
	}()
	return ctx
}

// version is gcra with another source.
func version(t *testing.T, label, source string) Subject {
	t.Helper()
	file := filepath.Join(t.TempDir(), "gcra.lua")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := lineup.ScriptCandidate(file, "")
	if err != nil {
		t.Fatal(err)
	}
	return Subject{Label: label, Under: c.Under}
}
