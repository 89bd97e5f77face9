package counting

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/load"
	"ratelab/internal/longtest"
	"ratelab/internal/message"
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
	"ratelab/internal/replay"
	"ratelab/internal/result"
	"ratelab/internal/run"
	"ratelab/internal/script"
	"ratelab/lua"
)

func algorithm(t *testing.T, label string) *limiter.Spec {
	t.Helper()
	c, err := algorithms.Parse(label)
	if err != nil {
		t.Fatal(err)
	}
	return limiter.OfChoice(c)
}

// counted runs a job, or skips the test if there is no valgrind.
func counted(t *testing.T, j *Job) *Counted {
	t.Helper()
	j.Server, j.Clock = redis.KindProcess, load.Wall
	d, err := j.Run(t.Context())
	check(t, err)
	return d
}

// head is gcra with an additional loop if the bucket is in use. It takes more instructions on this path only. The same
// script with two labels takes the same number of instructions.
func TestWorkIsSeenWhereItIsDone(t *testing.T) {
	longtest.Skip(t, "counts under valgrind")
	source, err := lua.Source("gcra")
	if err != nil {
		t.Fatal(err)
	}
	slow := strings.Replace(source, "local after = ", "for i = 1, wait > 0 and 200 or 0 do end\nlocal after = ", 1)
	if slow == source {
		t.Fatal("gcra has no line that begins with local after")
	}
	d := counted(t, &Job{
		Limiters: []*limiter.Spec{version(t, "base", source), version(t, "same", source), version(t, "head", slow)},
		Limits:   []limit.Policy{{Requests: 10, Window: time.Second}},
		States:   []string{StateFirst, StateBurst},
	})
	for _, p := range d.Paths {
		if i := slices.IndexFunc(p.Of, func(f Figures) bool { return f.Missing != "" }); i >= 0 {
			t.Errorf("%s of limiter %d: %s", p.State, i, p.Of[i].Missing)
			continue
		}
		base, same, head := p.Of[0], p.Of[1], p.Of[2]
		if off := math.Abs(same.Instructions/base.Instructions - 1); off > 0.005 {
			t.Errorf("%s: the same script twice is %.2f%% off", p.State, 100*off)
		}
		dearer := head.Instructions/base.Instructions - 1 // on each path, the condition takes some instructions
		if used := p.State == StateBurst; used && dearer < 0.05 || !used && math.Abs(dearer) > 0.01 {
			t.Errorf("%s: with the loop %+.2f%%", p.State, 100*dearer)
		}
	}
}

// onNative returns a counter that can produce states on a native server. It skips the test if there is no server.
func onNative(t *testing.T) *counter {
	t.Helper()
	return &counter{Job: &Job{Clock: load.Wall}, native: redistest.Private(t)}
}

// The remaining tokens on each path of the limit 4/1s, worked out by hand. In a bucket of four tokens, one token comes
// back per 250 ms. A window of one second has four tokens.
func TestPathsByHand(t *testing.T) {
	s := onNative(t)
	const missing = -1
	for _, test := range []struct {
		label string
		want  map[string][]int64 // what remains after each request of a key
	}{
		{"gcra", map[string][]int64{
			StateFirst: {3}, StateSteady: {3}, StateBurst: {3, 2, 1, 0},
			StateRejected: {0},
			StateCostB:    {0},
			StateChanged:  {2}, // 0.92 of a token of 125 ms is still used; at the new limit, this is 230 ms of 1 s
		}},
		// A window lasts to the end of its last millisecond. So every fifth steady request opens a window. Of six
		// requests, the first and the last one do, and the path's request is the next one.
		{"fixed-window", map[string][]int64{
			StateFirst: {3}, StateSteady: {2}, StateBurst: {3, 2, 1, 0},
			StateRejected: {0},
			StateCostB:    {0},
		}},
		// four requests in the last second, of which the oldest has just left the window
		{"sliding-window-log", map[string][]int64{
			StateFirst: {3}, StateSteady: {0}, StateBurst: {3, 2, 1, 0},
			StateRejected: {0},
			StateCostB:    {0},
			StateFullLog:  {0},
			StateChanged:  {2}, // one was admitted before
		}},
		{"none", map[string][]int64{StateRejected: {missing}}},
	} {
		policy := limit.Policy{Requests: 4, Window: time.Second}
		e, err := algorithm(t, test.label).At(policy)
		if err != nil {
			t.Fatal(err)
		}
		changed, err := algorithm(t, test.label).At(limiter.Changed(policy))
		if err != nil {
			t.Fatal(err)
		}
		for state, want := range test.want {
			p := pathOf(e, changed, state)
			found, err := s.make(t.Context(), p, p.costs, p.instant(time.Now()))
			if err != nil {
				t.Fatal(test.label, state, err)
			}
			if want[0] == missing {
				if p.Missing == "" && found.decided[0].Verdict == p.verdict {
					t.Errorf("%s has a path %s: %+v", test.label, state, found.decided)
				}
				continue
			}
			for i := range want {
				if got := found.decided[i]; got.Verdict != p.verdict || got.Remaining != want[i] {
					t.Errorf("%s, %s, request %d: %+v; want %d left, verdict %d", test.label, state, i, got, want[i],
						p.verdict)
				}
			}
		}
	}
}

// If a script decides differently than in virtual time, it took another path. If the script reads the server's clock,
// the remaining tokens depend on the time of the request, and are not compared.
func TestAnotherPathIsSeen(t *testing.T) {
	p := &path{found: &scene{decided: []limit.Decision{{Verdict: limit.Allowed, Remaining: 2}}}}
	for problem, got := range map[string]limit.Decision{
		"": {Verdict: limit.Allowed, Remaining: 2},
		"was rejected, but is allowed in virtual time":       {Verdict: limit.Rejected, Remaining: 2},
		"left 3 tokens, but 2 in virtual time":               {Verdict: limit.Allowed, Remaining: 3},
		"was not configured, but is allowed in virtual time": {Verdict: limit.NotConfigured},
	} {
		if said := p.differs(0, got); said != problem {
			t.Errorf("%+v: %q; want %q", got, said, problem)
		}
	}
	p.late = time.Second
	if said := p.differs(0, limit.Decision{Verdict: limit.Allowed}); said != "" {
		t.Errorf("by the server's clock: %q", said)
	}
}

// If the machine is sometimes too slow, each row is still counted: the counts of earlier rows are kept.
func TestAMachineThatIsSlowNowAndThen(t *testing.T) {
	longtest.Skip(t, "counts under valgrind")
	const often = 5 // an attempt sleeps twice
	slept := 0
	late := replay.Clock{Now: time.Now, Sleep: func(ctx context.Context, d time.Duration) error {
		if slept++; slept%often == 0 {
			d += time.Second
		}
		return load.Wall.Sleep(ctx, d)
	}}
	d, err := (&Job{Limiters: []*limiter.Spec{algorithm(t, "gcra"), algorithm(t, "gcra")}, Limits: hundredAMinute,
		States: []string{StateFirst}, Server: redis.KindProcess, Clock: late}).Run(t.Context())
	check(t, err)
	for _, f := range d.Paths[0].Of {
		if f.Missing != "" {
			t.Error(f.Missing)
		}
	}
}

// If the machine is too slow for every path, the job returns no error, and each path has this reason.
func TestASlowMachineLosesPathsAlone(t *testing.T) {
	longtest.Skip(t, "counts under valgrind")
	now := time.Now()
	j := &Job{Limiters: []*limiter.Spec{algorithm(t, "gcra")}, Limits: hundredAMinute,
		States: []string{StateFirst}, Server: redis.KindProcess, Clock: replay.Clock{Sleep: load.Wall.Sleep,
			Now: func() time.Time { now = now.Add(time.Minute); return now }}}
	d, err := j.Run(t.Context())
	check(t, err)
	if f := d.Paths[0].Of[0]; !f.Uncounted || f.Missing != "the machine was too slow" {
		t.Errorf("%+v", f)
	}
}

func TestServersThatCannotBeCounted(t *testing.T) {
	for spec, want := range map[string]string{"embedded": "--redis embedded", "model": "--redis model",
		"redis://:secret@host": "already runs", "process": ""} {
		var wrong run.Problems
		CheckServer(spec, &wrong)
		err := wrong.Err()
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "secret")) {
			t.Errorf("%v; want %q", err, want)
		}
	}
}

// Counts are clear if each two neighbours of the least counts are near each other or far apart.
func TestCountsThatAreClear(t *testing.T) {
	for name, test := range map[string]struct {
		counts [][]int64 // of each row
		clear  bool
	}{
		"the same":      {[][]int64{{1000, 1000}, {1004, 1004}}, true},
		"dearer":        {[][]int64{{1000, 1000}, {1020, 1020}}, false},
		"far dearer":    {[][]int64{{1000, 1000}, {1110, 1110}}, true},
		"disturbed":     {[][]int64{{1020, 1000}, {1000, 1001}}, true},
		"one far":       {[][]int64{{1000, 1000}, {1200, 1200}, {1020, 1020}}, false},
		"none of a row": {[][]int64{{1000, 1000}, nil}, true},
	} {
		var all []*path
		for _, some := range test.counts {
			one := &path{}
			for _, n := range some {
				one.counts = append(one.counts, float64(n))
			}
			if some == nil {
				one.Missing = "there is none"
			}
			all = append(all, one)
		}
		if got := clear(all); got != test.clear {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// An interrupted job ends soon, without counts.
func TestAJobIsInterrupted(t *testing.T) {
	longtest.Skip(t, "counts under valgrind")
	onNative(t) // or skip
	ctx, interrupt := context.WithCancelCause(t.Context())
	j := &Job{Limiters: []*limiter.Spec{algorithm(t, "gcra")}, Limits: hundredAMinute,
		Server: redis.KindProcess, Clock: load.Wall,
		Progress: func(where string, done, _ int) {
			if done == 1 {
				interrupt(message.ErrInterrupted)
			}
		}}
	if d, err := j.Run(ctx); d != nil || !errors.Is(err, message.ErrInterrupted) {
		t.Errorf("%+v, %v", d, err)
	}
}

// The reason lists the paths that are left out because the time is over. In this test, the clock jumps before the third
// path.
func TestPathsAreLeftOutWhenTheTimeIsOver(t *testing.T) {
	longtest.Skip(t, "counts under valgrind")
	onNative(t) // or skip
	paths := 0
	j := &Job{Limiters: []*limiter.Spec{algorithm(t, "gcra"), algorithm(t, "gcra")}, Limits: hundredAMinute,
		Within: time.Hour, Progress: func(string, int, int) { paths++ }}
	clock := load.Wall
	clock.Now = func() time.Time { return time.Now().Add(time.Duration(paths/3) * 2 * time.Hour) }
	j.Server, j.Clock = redis.KindProcess, clock
	d, err := j.Run(t.Context())
	check(t, err)
	g, _ := judgeInstructions("gcra", d)
	want := "not counted: burst, rejected, cost B, full log, changed, since --within 1h0m0s was over; "
	if g.Outcome != result.Inconclusive || !strings.HasPrefix(g.Reason, want) || len(g.Rows) != 2 {
		t.Errorf("%s, %d rows: %s", g.Outcome, len(g.Rows), g.Reason)
	}
}

// version returns gcra with another source.
func version(t *testing.T, label, source string) *limiter.Spec {
	t.Helper()
	file := filepath.Join(t.TempDir(), "gcra.lua")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := limiter.SpecOf(script.OnDisk(file), "")
	if err != nil {
		t.Fatal(err)
	}
	c.Name = label
	return c
}

var hundredAMinute = []limit.Policy{{Requests: 100, Window: time.Minute}}
