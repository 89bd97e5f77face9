package replay_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ratelab/internal/limit"
	"ratelab/internal/measure"
	"ratelab/internal/message"
	"ratelab/internal/replay"
)

// A limiter makes the same decisions beside other limiters as alone, with any batch size.
func TestEachRowDecidesAsItWouldAlone(t *testing.T) {
	labels := []string{"none", "gcra", "fixed-window", "sliding-window-log", "token-bucket"}
	p := policy(t, "5/1s")
	scales := measure.TimeScales(p.WindowUS())
	rapid.Check(t, func(r *rapid.T) {
		requests := drawTraffic(r)
		o := replay.Options{
			Batch:  rapid.IntRange(1, 40).Draw(r, "batch"),
			Scales: scales,
		}
		var rows []replay.Row
		for _, label := range labels {
			rows = append(rows, modelRow(t, label, p))
		}
		together := run(t, requests, p, rows, o)
		for i, label := range labels {
			alone := run(t, requests, p, []replay.Row{modelRow(t, label, p)},
				replay.Options{Scales: scales})
			if diff := cmp.Diff(alone.Rows[0], together.Rows[i]); diff != "" {
				r.Fatalf("%s alone (-) and beside others (+):\n%s", label, diff)
			}
			if diff := cmp.Diff(alone.Reference, together.Reference); diff != "" {
				r.Fatalf("the reference differs:\n%s", diff)
			}
		}
	})
}

// The options choose the measures beyond the counts. All rows have the same reference and the same names of keys.
func TestWhatIsAskedForIsMeasured(t *testing.T) {
	requests := traffic{
		{AtUS: 0, Key: "a", Cost: 1}, {AtUS: 0, Key: "b", Cost: 2}, {AtUS: 900_000, Key: "b", Cost: 1},
		{AtUS: 1_000_000, Key: "b", Cost: 2}, {AtUS: 1_000_001, Key: "a", Cost: 1},
	}
	p := policy(t, "2/1s")
	rows := []replay.Row{modelRow(t, "fixed-window-aligned", p), admitAll("all")}
	o := run(t, requests, p, rows, replay.Options{Scales: []int64{1, 100_001, 1_000_000}, Batch: 2})
	if o.LargestCost != 2 {
		t.Errorf("the largest cost is %d", o.LargestCost)
	}
	want := []measure.Figures{
		{MostAdmitted: []int64{2, 2, 2},
			Fairness: &measure.Fairness{Keys: 2, WorstKey: "a", WorstServed: 1, BestServed: 1}},
		{MostAdmitted: []int64{2, 3, 3},
			Fairness: &measure.Fairness{Keys: 2, WorstKey: "a", WorstServed: 1, BestServed: 1.25}},
	}
	for i, row := range o.Rows {
		row.Result = measure.Result{}
		if diff := cmp.Diff(want[i], row.Figures); diff != "" {
			t.Errorf("%s: -want +got:\n%s", rows[i].Label, diff)
		}
	}
	plain := run(t, requests, p, []replay.Row{admitAll("all")}, replay.Options{}).Rows[0]
	if plain.MostAdmitted != nil || plain.Fairness != nil {
		t.Errorf("measured without being requested: %+v", plain)
	}
}

func drawTraffic(r *rapid.T) traffic {
	var requests traffic
	at := int64(0)
	for range rapid.IntRange(0, 200).Draw(r, "requests") {
		at += rapid.Int64Range(0, 400_000).Draw(r, "gap")
		k := key(rapid.Int64Range(0, 2).Draw(r, "key"))
		requests = append(requests, limit.Request{AtUS: at, Key: k, Cost: rapid.Int64Range(1, 6).Draw(r, "cost")})
	}
	return requests
}

func run(t *testing.T, traffic replay.Traffic, p limit.Policy, rows []replay.Row, o replay.Options) *replay.Outcome {
	t.Helper()
	return runUntil(t, t.Context(), traffic, p, rows, o)
}

// runUntil is like run, but ends with ctx.
func runUntil(t *testing.T, ctx context.Context, traffic replay.Traffic, p limit.Policy, rows []replay.Row,
	o replay.Options) *replay.Outcome {
	t.Helper()
	outcome, err := replay.Run(ctx, traffic, p, rows, o)
	if err != nil {
		t.Fatal(err)
	}
	return outcome
}

// An observer receives each request once, in order, in batches of the requested size.
func TestBatchesKeepToTheirSize(t *testing.T) {
	requests := traffic{{AtUS: 0}, {AtUS: 10}, {AtUS: 20}, {AtUS: 21}, {AtUS: 50}}
	for i := range requests {
		requests[i].Key, requests[i].Cost = "k", 1
	}
	row := admitAll("all")
	var sizes []int
	var seen []limit.Request
	row.Observe = func(requests []limit.Request, decisions []limit.Decision) error {
		if len(requests) != len(decisions) {
			t.Errorf("%d requests with %d decisions", len(requests), len(decisions))
		}
		sizes = append(sizes, len(requests))
		seen = append(seen, requests...)
		return nil
	}
	var progress []int64
	o := replay.Options{Batch: 3, Progress: func(n int64) { progress = append(progress, n) }}
	outcome := run(t, requests, policy(t, "5/1s"), []replay.Row{row}, o)
	if !slices.Equal(sizes, []int{3, 2}) {
		t.Errorf("batches of %v", sizes)
	}
	if !slices.Equal(seen, []limit.Request(requests)) {
		t.Errorf("saw %v; want %v", seen, requests)
	}
	if !slices.Equal(progress, []int64{3, 5}) {
		t.Errorf("progress %v", progress)
	}
	if outcome.Keys != 1 || outcome.LastUS != 50 || outcome.Duration != time.Minute || outcome.Partial {
		t.Errorf("outcome %+v", outcome)
	}
}

// The tests below run in a synctest bubble. The bubble panics if all goroutines are blocked forever, or if a goroutine
// remains at the end.

// A failing row ends the run at once, even if more traffic follows and other rows wait. The error names the row.
func TestAFailingRowEndsTheRunAndIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("the server went up in smoke")
		bad := replay.Row{Label: "bad", Decider: &after{requests: 5000, do: func() error { return cause }}}
		rows := []replay.Row{admitAll("before"), bad, admitAll("after"), admitAll("last")}
		outcome, err := replay.Run(t.Context(), endless{}, policy(t, "5/1s"), rows, replay.Options{Batch: 100})
		if !errors.Is(err, cause) || err.Error() != "bad: the server went up in smoke" || outcome != nil {
			t.Errorf("outcome %v, error %v", outcome, err)
		}
	})
}

// A failing observer ends the run, too, such as a file on a full disk.
func TestAFailingObserverEndsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		full := errors.New("no space left on device")
		row := admitAll("all")
		row.Observe = func([]limit.Request, []limit.Decision) error { return full }
		_, err := replay.Run(t.Context(), endless{}, policy(t, "5/1s"), []replay.Row{row}, replay.Options{})
		if !errors.Is(err, full) || err.Error() != "all: no space left on device" {
			t.Errorf("error %v", err)
		}
	})
}

// If the traffic cannot be read to its end, the error names no row.
func TestTrafficThatBreaksOffGivesNoOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		garbled := errors.New("access.log:1001: this is no line of a log")
		outcome, err := replay.Run(t.Context(), broken{garbled}, policy(t, "5/1s"), []replay.Row{admitAll("all")},
			replay.Options{Batch: 64})
		var of *replay.InputError
		if !errors.As(err, &of) || !errors.Is(err, garbled) || err.Error() != garbled.Error() || outcome != nil {
			t.Errorf("outcome %v, error %v", outcome, err)
		}
	})
}

// After an interrupt, the run ends. All rows have decided the requests that were read before.
func TestStopGivesAPartialOutcomeOnWhichAllRowsAgree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, interrupt := context.WithCancelCause(t.Context())
		stopper := replay.Row{Label: "stopper",
			Decider: &after{requests: 700, do: func() error { interrupt(message.ErrInterrupted); return nil }}}
		p := policy(t, "5/1s")
		rows := []replay.Row{admitAll("all"), stopper, modelRow(t, "gcra", p)}
		outcome := runUntil(t, ctx, endless{}, p, rows, replay.Options{Batch: 100})
		if !outcome.Partial || outcome.Reference.Offered < 700 {
			t.Errorf("partial %v, offered %d", outcome.Partial, outcome.Reference.Offered)
		}
		for i, l := range outcome.Rows {
			if l.Result.Offered != outcome.Reference.Offered {
				t.Errorf("%s was offered %d, the reference %d", rows[i].Label, l.Result.Offered,
					outcome.Reference.Offered)
			}
		}
		if want := (outcome.Reference.Offered - 1) * 1000; outcome.LastUS != want ||
			outcome.Duration != time.Duration(want+1)*time.Microsecond {
			t.Errorf("last request at %d µs, duration %v; want %d µs, and 1 µs more", outcome.LastUS, outcome.Duration,
				want)
		}
	})
}

// A row may return ErrInterrupted during a batch. Its figures then cover the earlier batches, and the outcome is
// partial.
func TestARowThatGivesUpKeepsWhatItHad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var requests traffic
		for i := range int64(1000) {
			requests = append(requests, limit.Request{AtUS: i, Key: "k", Cost: 1})
		}
		waiting := replay.Row{Label: "waiting",
			Decider: &after{requests: 250, do: func() error { return message.ErrInterrupted }}}
		outcome := run(t, requests, policy(t, "5/1s"), []replay.Row{waiting, admitAll("all")},
			replay.Options{Batch: 100})
		if got := []int64{outcome.Rows[0].Result.Offered, outcome.Rows[1].Result.Offered}; !slices.Equal(got,
			[]int64{200, 1000}) || !outcome.Partial {
			t.Errorf("offered %v, partial %v; want 200 and 1000, partial", got, outcome.Partial)
		}
	})
}

type limiter func(serverUS, clientUS, cost int64) limit.Decision

func (l limiter) Decide(serverUS, clientUS int64, _ string, cost int64) limit.Decision {
	return l(serverUS, clientUS, cost)
}

func (l limiter) Fork(string) limit.Model { return l }

// A model gets the times of both clocks.
func TestAModelSeesTwoClocks(t *testing.T) {
	one := limiter(func(serverUS, clientUS, _ int64) limit.Decision {
		return limit.Decision{Remaining: serverUS, ResetAfterUS: clientUS}
	})
	requests := []limit.Request{{AtUS: 5}, {AtUS: 7, ServerSkewUS: -3, ClientSkewUS: 2}}
	decisions := make([]limit.Decision, 2)
	if err := replay.NewModel(one, midnight).Decide(t.Context(), requests, decisions); err != nil {
		t.Fatal(err)
	}
	start := midnight.UnixMicro()
	want := []limit.Decision{{Remaining: start + 5, ResetAfterUS: start + 5},
		{Remaining: start + 4, ResetAfterUS: start + 9}}
	if !slices.Equal(decisions, want) {
		t.Errorf("decided %v; want %v", decisions, want)
	}
}
