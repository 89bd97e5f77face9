package bench

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"ratelab/algorithms"
	"ratelab/internal/load"
	"ratelab/internal/longtest"
	"ratelab/internal/message"
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
	"ratelab/internal/result"
	"ratelab/internal/result/benchmarktest"
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
	for _, row := range rows {
		checkRow(t, &row, 2)
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
	if algorithms.IsFloor(row.Algorithm) {
		admitted = 200
	}
	if len(row.Rounds) != rounds || row.Offered != int64(200*rounds) || row.Row.Offered != 200 ||
		row.Row.Admitted != admitted {
		t.Errorf("%s: %d rounds, %d offered; exact %+v", row.Algorithm, len(row.Rounds), row.Offered, row.Row)
	}
	for _, round := range row.Rounds {
		if round.Admitted != admitted || round.ServerUSPerCall == nil {
			t.Errorf("%s: round %d admitted %d, want %d; server µs %v", row.Algorithm, round.Round, round.Admitted,
				admitted, round.ServerUSPerCall)
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
	for text, want := range map[string]int{"gcra, round 2": 1, "virtual time": 0} {
		j := tiny(t, "gcra")
		ctx, interrupt := context.WithCancelCause(t.Context())
		j.Progress = at(text, func() { interrupt(message.ErrInterrupted) })
		r, err := j.Run(ctx)
		if err != nil {
			t.Fatal(err)
		}
		rounds := 0
		if len(r.Latency) > 1 {
			rounds = len(r.Latency[1].Rounds)
		}
		if !r.Partial || rounds != want {
			t.Errorf("stopped at %q: partial %t, %d rounds; want %d", text, r.Partial, rounds, want)
		}
	}
}

func TestAServerThatDiesEndsTheJob(t *testing.T) {
	j := tiny(t, "gcra")
	s, err := redis.Start(t.Context(), redis.KindProcess)
	if err != nil {
		t.Fatal(err)
	}
	under := newSession(t.Context(), s, "", load.Wall)
	j.Progress = at("gcra, round 2", func() {
		process, err := os.FindProcess(redistest.ProcessID(t, under.server))
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
	j.Progress = at("gcra, round 1", cancel)
	if r, err := j.Run(ctx); r != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("recorded: %t, error %v; want no result and the context's error", r != nil, err)
	}
}

// On a given server nothing of ours stays. It tells what one of ours tells, but for what needs another setting.
func TestGivenServer(t *testing.T) {
	theirs := redistest.Private(t)
	ctx := t.Context()
	j := tiny(t, "gcra", "token-bucket-interval")
	j.Rounds = 1
	j.Server = "unix://" + redistest.Socket(t, theirs)
	theirs.Client.ConfigResetStat(ctx) // commands so far were the test's own
	r := runJob(t, j)
	if r.Server.Own {
		t.Error("it is said to be ours")
	}
	for _, row := range r.Plays(&r.Runs[0]) {
		if row.ServerUSPerCall == nil || row.Row.BytesPerKey == nil && row.Algorithm != "none" ||
			row.Outcomes.Admitted.Service.TotalCount() == 0 {
			t.Errorf("%s: figures of a given server: %+v", row.Algorithm, row.Latency)
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
	s := newSession(t.Context(), own, "", load.Wall)
	p, err := tiny(t, "gcra").plan()
	if err != nil {
		t.Fatal(err)
	}
	g, err := s.segment(t.Context(), p.plays[0].Limiters[1])
	if err != nil {
		t.Fatal(err)
	}
	a, err := g.measured(t.Context(), func() error { return own.Client.Eval(t.Context(), "return 1", nil).Err() })
	if err := g.end(t.Context(), err); err != nil {
		t.Fatal(err)
	}
	r := &measuring{session: s, vigil: new(load.Vigil)} // which hears nothing
	o := &played{Played: &load.Played{OpenResult: &load.OpenResult{}}, account: a}
	o.Outcomes, o.Sent = result.NewOutcomes(), 1
	if all := r.faults("here", o); len(all) != 0 {
		t.Errorf("a call that was sent is held against the run: %+v", all)
	}
	o.Sent = 2
	if all := r.faults("here", o); len(all) != 1 || all[0].Code != "calls" || all[0].Where != "here" ||
		!strings.HasPrefix(all[0].Statement, "the server executed 1 script calls, but 2 were sent") {
		t.Errorf("the reasons are %+v", all)
	}
}

// A measurement of which nothing is due is disturbed each time, and repeated as often as is asked for.
func TestRepeats(t *testing.T) {
	longtest.Skip(t, "measures for seconds")
	for _, repeats := range []int{0, 2} {
		j := tiny(t)
		j.Scenarios[0] = written(t, edge) // whose first 100 ms have no request
		j.Rounds, j.RepeatInvalid = 1, repeats
		r := runJob(t, j)
		if r.Settings.Repeated != repeats || r.Validity.Valid || len(r.Validity.Reasons) != 1 {
			t.Errorf("%d repeated of %d: %+v", r.Settings.Repeated, repeats, r.Validity)
		}
	}
}

// The script that decides nothing is no dearer than one that decides, but for the noise between rounds.
func TestADearControlIsFoundOut(t *testing.T) {
	d := benchmarktest.Example()
	if all := dearControl(d); len(all) != 0 {
		t.Errorf("the example: %+v", all)
	}
	d.Latency[0].ServerUSPerCall = new(2 * *d.Latency[1].ServerUSPerCall)
	if all := dearControl(d); len(all) == 0 || all[0].Code != "control" || all[0].Where != "ten-times-over" {
		t.Errorf("twice as dear as %s: %+v", d.Latency[1].Algorithm, all)
	}
	d.NoiseFloor.ServerUS = 3
	if all := dearControl(d); len(all) != 0 {
		t.Errorf("within the noise: %+v", all)
	}
}
