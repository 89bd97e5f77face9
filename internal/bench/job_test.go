package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"ratelab/internal/load"
	"ratelab/internal/longtest"
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
	"ratelab/internal/replay"
	"ratelab/internal/result"
	"ratelab/internal/script"
)

func TestRecordingAddsUp(t *testing.T) {
	longtest.Skip(t, "measures for twenty seconds")
	r := runJob(t, tiny(t, "gcra", "sliding-window-log", "token-bucket-interval"))
	if r.Partial || !r.Server.Own || r.Server.Kind != redis.KindProcess || r.Machine.Cores == 0 {
		t.Errorf("partial %t on %+v, %+v", r.Partial, r.Server, r.Machine)
	}
	rows := r.Plays(&r.Runs[0])
	if labels := labelsOf(rows); labels != "none gcra sliding-window-log token-bucket-interval" {
		t.Errorf("the rows are %s; want the control first", labels)
	}
	for i, row := range rows {
		checkRow(t, &row, 2)
		checkCost(t, &r.Costs[i], 2)
	}
	if r.Runs[0].Played.LengthUS != 100_000 || r.Runs[0].DurationUS != 200_000 || len(r.Runs[0].Notes) != 0 {
		t.Errorf("played %d of %d µs: %q", r.Runs[0].Played.LengthUS, r.Runs[0].DurationUS, r.Runs[0].Notes)
	}
}

func labelsOf(rows []result.Play) string {
	var labels []string
	for _, row := range rows {
		labels = append(labels, row.Algorithm)
	}
	return strings.Join(labels, " ")
}

// checkRow: of the 200 requests that are played 80 are to be admitted, 40 for each key, by all but the control.
func checkRow(t *testing.T, row *result.Play, rounds int) {
	t.Helper()
	admitted := int64(80)
	if row.Algorithm == control {
		admitted = 200
	}
	if len(row.Rounds) != rounds || row.Offered != int64(200*rounds) || row.Row.Offered != 200 ||
		row.Row.Admitted != admitted {
		t.Errorf("%s: %d rounds, %d offered; exact %+v", row.Algorithm, len(row.Rounds), row.Offered, row.Row)
	}
	for _, round := range row.Rounds {
		if round.Accepted != admitted || round.ServerUSPerCall == nil {
			t.Errorf("%s: round %d accepted %d, want %d; server µs %v", row.Algorithm, round.Round, round.Accepted,
				admitted, round.ServerUSPerCall)
		}
	}
	w := &row.Work
	if w.UnexplainedEvalCalls == nil || *w.UnexplainedEvalCalls != 0 || w.NetInPerDecision == nil ||
		w.AllocationsPerCall == nil || *row.Row.RoundTrips != 1 {
		t.Errorf("%s: work %+v", row.Algorithm, w)
	}
	var inside float64
	for _, n := range w.Commands {
		inside += n
	}
	if virtual := *row.Row.Commands; inside < virtual-0.01 || inside > virtual+0.01 {
		t.Errorf("%s: %v commands for each decision on the wall clock, %v in virtual time: %v", row.Algorithm, inside,
			virtual, w.Commands)
	}
}

func checkCost(t *testing.T, c *result.Cost, rounds int) {
	t.Helper()
	if len(c.Mixes) != 3 || len(c.Sweep) != 2 || len(c.Memory) != 2 {
		t.Errorf("%s: %d mixes, %d levels, %d fills", c.Algorithm, len(c.Mixes), len(c.Sweep), len(c.Memory))
	}
	for _, m := range c.Mixes {
		want := wantedShare(m.Mix)
		if c.Algorithm == control {
			want = 1
		}
		calls := float64(m.Accepted + m.Rejected)
		// a call or so for each of the workers and rounds
		if off := float64(m.Accepted) - want*calls; off < -4 || off > 4 {
			t.Errorf("%s %s: %d accepted of %v, want %v of them", c.Algorithm, m.Mix, m.Accepted, calls, want)
		}
		if len(m.Samples) != rounds || m.RatioToControl == nil || c.Algorithm == control && *m.RatioToControl != 1 {
			t.Errorf("%s %s: %d samples, ratio %v", c.Algorithm, m.Mix, len(m.Samples), m.RatioToControl)
		}
	}
}

// at calls do at the first step whose name has the text.
func at(text string, do func()) Progress {
	return func(where string, done, total int) {
		if do != nil && strings.Contains(where, text) && done <= total {
			do()
			do = nil
		}
	}
}

func TestStopKeepsTheFinishedRounds(t *testing.T) {
	longtest.Skip(t, "measures for twenty seconds")
	for text, want := range map[string]struct{ open, closed int }{"small gcra round 2": {1, 0}, "half mix round " +
		"1": {2, 0},
		"half mix round 2": {2, 1}, "virtual time": {}, "bytes": {}, "memory": {}, "sweep": {2, 2}} {
		j := tiny(t, "gcra")
		stop := make(chan struct{})
		j.Stop, j.Progress = stop, at(text, func() { close(stop) })
		r := runJob(t, j)
		open, closed := 0, len(r.Costs[1].Mixes[2].Samples)
		if len(r.Latency) > 1 {
			open = len(r.Latency[1].Rounds)
		}
		if !r.Partial || open != want.open || closed != want.closed {
			t.Errorf("stopped at %q: partial %t, %d rounds, %d samples; want %+v", text, r.Partial, open, closed, want)
		}
	}
}

func TestAServerThatDiesEndsTheJob(t *testing.T) {
	j := tiny(t, "gcra")
	s, err := redis.Start(t.Context(), redis.KindProcess)
	if err != nil {
		t.Fatal(err)
	}
	under := newSession(s, "", replay.Clock{Now: time.Now, Sleep: load.Wait}, nil)
	j.Progress = at("small gcra round 2", func() {
		process, err := os.FindProcess(processOf(t, under))
		if err == nil {
			err = process.Kill()
		}
		if err != nil {
			t.Error(err)
		}
	})
	p, err := j.plan()
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.on(t.Context(), under)
	var gone *redis.Unavailable
	if r != nil || !errors.As(err, &gone) {
		t.Errorf("got %v and %v; want no result and an *Unavailable", r, err)
	}
}

func TestCancelledJob(t *testing.T) {
	longtest.Skip(t, "measures for a second")
	j := tiny(t, "gcra")
	ctx, cancel := context.WithCancel(t.Context())
	j.Progress = at("accepted mix round 1", cancel)
	if r, err := j.Run(ctx); r != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("recorded: %t, error %v; want no result and the context's error", r != nil, err)
	}
}

// On a given server nothing of ours stays. It tells what one of ours tells, but for what needs another setting.
func TestGivenServer(t *testing.T) {
	theirs := redistest.Private(t)
	ctx := t.Context()
	j := tiny(t, "gcra", "token-bucket-interval")
	j.Rounds, j.Sweep = 1, []int{2}
	j.Server = "unix://" + redistest.Socket(t, theirs)
	theirs.Client.ConfigResetStat(ctx) // commands so far were the test's own
	r := runJob(t, j)
	if r.Server.Own {
		t.Error("it is said to be ours")
	}
	for i, row := range r.Plays(&r.Runs[0]) {
		w, c := &row.Work, &r.Costs[i]
		if row.ServerUSPerCall == nil || w.Commands == nil || w.UnexplainedEvalCalls == nil ||
			row.Row.BytesPerKey == nil && row.Algorithm != "none" ||
			c.Mixes[0].ServerUSPerCall == nil || w.ReplicatedPerDecision != nil {
			t.Errorf("%s: figures of a given server: %+v", row.Algorithm, w)
		}
		if w.NetInPerDecision == nil || row.Outcomes.Accepted.Service.TotalCount() == 0 {
			t.Errorf("%s: the client's own figures are missing: %+v", row.Algorithm, w)
		}
	}
	if keys := theirs.Client.Keys(ctx, "*").Val(); len(keys) != 0 {
		t.Errorf("%d keys are left: %q", len(keys), keys)
	}
	commands := theirs.Client.InfoMap(ctx, "commandstats").Val()["Commandstats"]
	for name := range commands {
		config := strings.HasPrefix(name, "cmdstat_config") && name != "cmdstat_config|resetstat"
		if config || strings.HasPrefix(name, "cmdstat_flush") {
			t.Errorf("the job sent %s", name)
		}
	}
}

// Somebody else's calls on a server of our own are noticed.
func TestCallsThatNobodySent(t *testing.T) {
	own := redistest.Private(t)
	s := newSession(own, "", replay.Clock{Now: time.Now, Sleep: load.Wait}, nil)
	p, err := tiny(t, "gcra").plan()
	if err != nil {
		t.Fatal(err)
	}
	g, err := s.segment(t.Context(), p.costs[1], 1)
	if err != nil {
		t.Fatal(err)
	}
	a, err := g.measured(t.Context(), func() error { return own.Client.Eval(t.Context(), "return 1", nil).Err() })
	if err := g.end(t.Context(), err); err != nil {
		t.Fatal(err)
	}
	reasons := s.blame("here", nil, &a, 0)
	if len(reasons) != 1 || reasons[0].Code != reasonCalls || reasons[0].Where != "here" ||
		!strings.HasPrefix(reasons[0].Statement, "the server executed 1 calls of scripts and 0 were sent") {
		t.Errorf("the reasons are %+v", reasons)
	}
	if len(s.blame("here", nil, &a, 1)) != 0 {
		t.Error("a call that was sent is held against the run")
	}
}

func TestRepeats(t *testing.T) {
	for repeats, want := range map[int]int{0: 1, 2: 3} {
		r := &measuring{plan: &plan{Job: &Job{RepeatInvalid: repeats}}, session: &session{}}
		times := 0
		reasons, err := r.again("here", func() ([]result.Reason, error) {
			times++
			return r.blame("here", []load.Reason{{Code: "stall", Sentence: fmt.Sprint(times)}}, &account{},
				0), nil
		})
		if err != nil || times != want || r.repeated != want-1 || len(reasons) != 1 ||
			reasons[0].Statement != fmt.Sprint(want) {
			t.Errorf("with %d repeats: measured %d times, noted %d, %v, %v", repeats, times, r.repeated, reasons, err)
		}
	}
}

// The scripts' digests are those of the sources that were measured.
func TestIdentities(t *testing.T) {
	p, err := tiny(t, "gcra").plan()
	if err != nil {
		t.Fatal(err)
	}
	c := p.costs[1]
	if id := identity(c); id.Algorithm != "gcra" || id.ScriptSHA1 != script.SHA1(c.Program.Source) ||
		id.Parameters["burst"] != "100" {
		t.Errorf("%+v", id)
	}
}
