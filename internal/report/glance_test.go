package report

import (
	"slices"
	"strings"
	"testing"

	"ratelab/internal/limit"
	"ratelab/internal/measure"
	"ratelab/internal/result"
)

// By hand: each limiter's guarantee, one that exceeds the limit, one that loses, and a shaper with its longest delay.
// A token bucket that decides as gcra, and the floor, have no place. Costs above 1 and a bucket have guarantees of
// their own, and clients that react have none.
func TestTheMatrix(t *testing.T) {
	row := func(label string, excess int64, x, lost, guarantee float64) result.Row {
		return result.Row{Algorithm: label, Figures: measure.Figures{Guarantee: &guarantee,
			Result: measure.Result{Excess: excess, XLimit: x, Lost: lost}}}
	}
	run := result.Run{Scenario: "peaks", Limit: result.Limit{Requests: 1000, WindowUS: 3e6}, Results: []result.Row{
		row("none", 9, 9, 0, 9), row("gcra", 765, 1.765, 0, 1.999), row("gcra:limit=900:burst=100", 0, 0.8, 0.2, 0.999),
		row("fixed-window-aligned", 980, 1.98, 0, 2), row("leaky-bucket", 0, 1, 0, 1),
		row("token-bucket", 9, 1.8, 0, 1.999),
		row("my-own", 0, 1, 0, 1)}}
	run.Results[4].Shaping = &measure.Shaping{DelayUS: measure.Percentiles{Max: 3_000_000}}
	run.Results[6].Guarantee = nil
	other := run
	other.Scenario, other.ClientGroups = "crowd", []string{"clients"}
	costly, most := run, 1.5
	costly.Scenario, costly.Results = "costly", slices.Clone(run.Results)
	costly.Results[4].OfferedCost, costly.Results[4].Guarantee = 5, &most
	bucket := costly
	bucket.Scenario, bucket.Limit.Contract = "bucket", limit.ByBucket
	doc := &result.Document{Runs: []result.Run{run, bucket, other, costly}}
	const want = `Never more than the limit in any window?
1.98: admits 1.98 x the limit in some window. -7%: loses 7% of what the exact
  limiter admits. The worse of both. ok: within the limit, and at most 1% lost.

scenario       fixed gcra  gcra       leaky my-own
               align  1+1 .9+.1      bucket
on any traffic     2   <2     1    1, waits      -
peaks           1.98 1.76  -20%     ok, 3 s     ok
may admit          2   <2     1 1.50, waits      -
costly          1.98 1.76  -20%     ok, 3 s     ok

gcra 1+1: rate L/W, burst L: the bucket contract. gcra .9+.1: 0.9 L/W and 0.1 L.
A guarantee of 1 keeps the limit on any traffic whose requests cost 1; waits: by
  holding requests back.
may admit: the guarantees for the costs of the scenario below.

On average, and a burst at once?
1.98: admits 1.98 x what the bucket allows in some interval. -7%: loses 7% of
  what the exact limiter admits. The worse of both. ok: within the limit, and at
  most 1% lost.

scenario  fixed gcra  gcra       leaky my-own
          align  1+1 .9+.1      bucket
may admit     2   <2     1 1.50, waits      -
bucket     1.98 1.76  -20%     ok, 3 s     ok

may admit: the guarantees for the burst and the costs of the scenario below. A 1
  keeps the limit on any such traffic.

With clients, faults or clocks
1 scenario compares situations, not limiters: no guarantee covers them. 1.98:
  admits 1.98 x what the scenario's contract allows. -7%: loses 7% of what the
  exact limiter admits. The worse of both. ok: within the limit, and at most 1%
  lost.

scenario fixed gcra  gcra   leaky my-own
         align  1+1 .9+.1  bucket
crowd     1.98 1.76  -20% ok, 3 s     ok

clients react, so that each limiter meets requests of its own: crowd.
`
	got := render(func(w *strings.Builder) error { return WriteMatrix(w, doc, Terminal{}) })
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// Rows of one word stand together, without the floor.
func TestAtAGlance(t *testing.T) {
	run := &result.Run{Results: []result.Row{
		{Algorithm: "none", Figures: measure.Figures{Result: measure.Result{Excess: 5, XLimit: 2}}},
		{Algorithm: "a", Figures: measure.Figures{Result: measure.Result{Excess: 5, XLimit: 1.98}}},
		{Algorithm: "b"},
		{Algorithm: "c", Figures: measure.Figures{Result: measure.Result{Excess: 5, XLimit: 1.98}}},
	}}
	if got, want := AtAGlance(run), "1.98 a, c; ok b"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What got through too much and what was lost have colours of their own, the stronger the more.
func TestBothErrorsHaveAColour(t *testing.T) {
	row := func(label string, admitted, excess, missing int64) result.Row {
		return result.Row{Algorithm: label, Figures: measure.Figures{Result: measure.Result{AdmittedCost: admitted,
			Excess: excess, ExactCost: 100, Lost: float64(missing) / 100, XLimit: float64(admitted) / 100}}}
	}
	run := result.Run{Limit: result.Limit{Requests: 100, WindowUS: 1e6},
		Results: []result.Row{row("twice", 200, 100, 0), row("half", 50, 0, 50), row("right", 100, 0, 0)}}
	html := string(Sheet(Matrices(&result.Document{Runs: []result.Run{run}}, nil)).HTML())
	for _, want := range []string{`class="shade4">2.00<`, `class="lack4">-50%<`, ">ok<"} {
		if !strings.Contains(html, want) {
			t.Errorf("no %s in\n%s", want, html)
		}
	}
}
