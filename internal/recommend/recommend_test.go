package recommend

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/measure"
	"ratelab/internal/report"
	"ratelab/internal/result"
	"ratelab/internal/scenario"
)

// figuresOf is what a test lets an algorithm do: the peak of a window of 100, and of 1000 requests how many are decided
// wrongly. What has the same name in decides decides the same.
type figuresOf struct {
	peak, falseAdmits, falseRejects int64
	calls                           float64
	decides                         string
}

// stage is what every algorithm does in every scenario, and what was asked of it.
type stage struct {
	scenarios map[string]map[string]figuresOf
	calls     []string // server, scenarios, labels
}

// replay stands for a job: rows as a server or the models would give them.
func (w *stage) replay(_ context.Context, server string, list []*scenario.Scenario,
	choices []algorithms.Choice) (*report.Document, error) {
	doc := &report.Document{}
	var labels, names []string
	for _, c := range choices {
		labels = append(labels, c.Label)
	}
	for _, s := range list {
		names = append(names, s.Name)
		run := report.Run{Scenario: s.Name, Question: "Which?", Seed: 1,
			Limit: result.Limit{Requests: s.Limit.Requests, WindowUS: s.Limit.WindowUS(),
				Burst: s.Limit.Capacity()},
			DurationUS: 10_000_000, Keys: 1, Server: result.Server{Kind: server, Name: "redis", Version: "8",
				Transport: "pipe"}, Reference: measure.Result{Offered: 1000}}
		for _, label := range labels {
			run.Results = append(run.Results, w.row(server, s, label))
		}
		doc.Runs = append(doc.Runs, run)
	}
	w.calls = append(w.calls, server+" "+strings.Join(names, ",")+": "+strings.Join(labels, " "))
	return doc, nil
}

func (w *stage) row(server string, s *scenario.Scenario, label string) report.Row {
	f := w.scenarios[s.Name][label]
	choice, err := algorithms.Parse(label)
	if err != nil {
		panic(err)
	}
	in, err := choice.Instance(s.Limit)
	if err != nil {
		panic(err)
	}
	row := report.Row{Algorithm: label, Parameters: in.Parameters,
		Figures: measure.Figures{Result: measure.Result{Offered: 1000, Admitted: 500 + f.falseAdmits - f.falseRejects,
			PeakWindowAdmitted: f.peak, Overshoot: float64(f.peak) / float64(s.Limit.Requests),
			FalseAdmits: f.falseAdmits, FalseRejects: f.falseRejects, Utilization: 0.5,
			DecisionsSHA256: fmt.Sprintf("%064x", f.decides+fmt.Sprint(f.peak, f.falseAdmits, f.falseRejects))[:64]}}}
	if server != Models {
		row.RedisCallsPerDecision = &f.calls
	}
	return row
}

func named(name string) *scenario.Scenario {
	return &scenario.Scenario{Name: name, Question: "Which?", Limit: limit.Policy{Requests: 100, Window: time.Second},
		Seed: 1}
}

func choices(t *testing.T, labels ...string) []algorithms.Choice {
	t.Helper()
	var all []algorithms.Choice
	for _, label := range labels {
		c, err := algorithms.Parse(label)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

// worked is a small world in which every kind of verdict appears, checked by hand: of a limit of 100 per second and
// 1000 requests, the log is exact, two buckets decide alike within the tolerance of 1.10 and 1 %, one candidate is
// above it by a hair, and one rejects too much.
func worked() *stage {
	return &stage{scenarios: map[string]map[string]figuresOf{"edge": {
		"sliding-window-log":     {peak: 100, calls: 4.5},
		"gcra":                   {peak: 110, falseAdmits: 60, falseRejects: 10, calls: 3},
		"leaky-bucket":           {peak: 110, falseAdmits: 60, falseRejects: 10, calls: 2},
		"sliding-window-counter": {peak: 111, falseAdmits: 20, calls: 3},
		"gcra:burst=10":          {peak: 90, falseRejects: 300, calls: 3},
		"sliding-window-buckets": {peak: 100, falseRejects: 11, calls: 2},
	}}}
}

var workedLabels = []string{"gcra", "gcra:burst=10", "leaky-bucket", "sliding-window-buckets", "sliding-window-counter",
	"sliding-window-log"}

func workedQuestion(t *testing.T) *Question {
	return &Question{Scenarios: []*scenario.Scenario{named("edge")}, Choices: choices(t, workedLabels...),
		Server:    "embedded",
		Tolerance: DefaultTolerance(), Prefer: "balanced", Tool: result.Tool{Name: "simulate", Version: "v1.0.0"}}
}

func answer(t *testing.T, q *Question, w *stage) *Document {
	t.Helper()
	doc, err := q.Answer(context.Background(), w.replay)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// said is one line a candidate: its rank or what excludes it.
func said(d *Document) []string {
	var lines []string
	for _, c := range d.Candidates {
		line := fmt.Sprintf("%d %s", c.Rank, c.Algorithm)
		for _, x := range c.ExcludedBy {
			line += "; " + x.Words
		}
		lines = append(lines, line)
	}
	return lines
}

func TestWorkedByHand(t *testing.T) {
	w := worked()
	doc := answer(t, workedQuestion(t), w)
	want := []string{
		"1 sliding-window-log",
		"2 leaky-bucket", // as gcra, and cheaper
		"3 gcra",
		"0 sliding-window-counter; peak 111 in 1s is 1.11 x the limit, more than 1.1", // 1.009 times too much
		"0 sliding-window-buckets; rejects 11 of 1000 wrongly: 1.1%, more than 1%",    // 1.1 times
		"0 gcra:burst=10; rejects 300 of 1000 wrongly: 30.0%, more than 1%",
	}
	if diff := cmp.Diff(want, said(doc)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	wantWhy := []string{
		"sliding-window-log is before leaky-bucket: it rejects 0% of the requests wrongly, leaky-bucket 1.0%",
		"the nearest of those that do not qualify is sliding-window-counter: peak 111 in 1s is 1.11 x the limit, " +
			"more than 1.1; it would qualify with --max-overshoot 1.11",
		"the exact limit rejects nothing of this traffic: it tests nobody's limit, and a recommendation needs " +
			"traffic that does",
	}
	if diff := cmp.Diff(wantWhy, doc.Why); diff != "" {
		t.Errorf("why (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]Tie{{[]string{"leaky-bucket", "gcra"}}}, doc.Ties); diff != "" {
		t.Errorf("ties (-want +got):\n%s", diff)
	}
	wantAsked := []string{ // the models decide for all, the server for those that matter
		"model edge: gcra gcra:burst=10 leaky-bucket sliding-window-buckets sliding-window-counter sliding-window-log",
		"embedded edge: sliding-window-log gcra leaky-bucket sliding-window-counter",
	}
	if diff := cmp.Diff(wantAsked, w.calls); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	for _, c := range doc.Candidates {
		if nearest := c.Algorithm == "sliding-window-counter"; c.Confirmed != (c.Qualifies || nearest) {
			t.Errorf("%s: confirmed is %t", c.Algorithm, c.Confirmed)
		}
	}
	if b := doc.Candidates[5].Burst; b == nil || *b != 10 {
		t.Errorf("the burst of %s is %v", doc.Candidates[5].Algorithm, b)
	}
}

func TestPreferencesOrder(t *testing.T) {
	for prefer, want := range map[string][]string{
		"balanced": {"sliding-window-log", "leaky-bucket", "gcra"},
		"strict":   {"sliding-window-log", "leaky-bucket", "gcra"},
		"generous": {"sliding-window-log", "leaky-bucket", "gcra"},
		"cheap":    {"leaky-bucket", "gcra", "sliding-window-log"},
	} {
		q := workedQuestion(t)
		q.Prefer = prefer
		var got []string
		for _, c := range answer(t, q, worked()).Candidates {
			if c.Qualifies {
				got = append(got, c.Algorithm)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", prefer, got, want)
		}
	}
}

// What is 1.1004 times the limit is not shown as 1.10, more than 1.1.
func TestExclusionsShowTheDifference(t *testing.T) {
	for _, c := range []struct {
		got, most, scale float64
		digits           int
		want             string
	}{{1.98, 1.1, 1, 2, "1.98"}, {1.1004, 1.1, 1, 2, "1.1004"}, {0.0101, 0.01, 100, 1, "1.01"}, {0.31, 0, 100, 1,
		"31.0"}} {
		if got := beyond(c.got, c.most, c.scale, c.digits); got != c.want {
			t.Errorf("%v beyond %v is shown as %s, want %s", c.got, c.most, got, c.want)
		}
	}
}

// Over several scenarios a candidate must qualify in each; its worst figure names its scenario.
func TestTheWorstScenarioCounts(t *testing.T) {
	w := worked()
	w.scenarios["calm"] = map[string]figuresOf{"gcra": {peak: 80, calls: 3}, "leaky-bucket": {peak: 80, calls: 2},
		"sliding-window-log": {peak: 80, calls: 4}}
	q := workedQuestion(t)
	q.Scenarios = append(q.Scenarios, named("calm"))
	q.Choices, q.Tolerance.MaxOvershoot = choices(t, "gcra", "sliding-window-log"), 1
	doc := answer(t, q, w)
	if doc.Recommended != "sliding-window-log" || doc.Candidates[1].Qualifies {
		t.Errorf("%v", said(doc))
	}
	if got, want := doc.Candidates[1].Overshoot, (Worst{1.1, "edge"}); got != want {
		t.Errorf("the worst of gcra is %v, want %v", got, want)
	}
	if x := doc.Candidates[1].ExcludedBy; len(x) != 1 ||
		x[0].Words != "edge: peak 110 in 1s is 1.10 x the limit, more than 1" {
		t.Errorf("excluded by %v", x)
	}
}

// Where limits differ, a tenth of the limit is one candidate with another number in each.
func TestVariantsFollowEachLimit(t *testing.T) {
	entrants, _ := field([]limit.Policy{{Requests: 100, Window: time.Second}, {Requests: 1000, Window: time.Minute}})
	i := slices.IndexFunc(entrants, func(e entrant) bool { return e.label == "gcra:burst=L/10" })
	if i < 0 {
		t.Fatalf("no gcra:burst=L/10 in %v", entrants)
	}
	if a, b := entrants[i].choices[0].Label, entrants[i].choices[1].Label; a != "gcra:burst=10" ||
		b != "gcra:burst=100" {
		t.Errorf("%s and %s", a, b)
	}
}

// The field has no floor, no two candidates that amount to the same, and bursts that are never below one.
func TestFieldIsWhatAPersonWouldTry(t *testing.T) {
	entrants, leftOut := field([]limit.Policy{{Requests: 5, Window: time.Second}})
	var labels []string
	for _, e := range entrants {
		labels = append(labels, e.label)
	}
	if slices.Contains(labels, "none") || !slices.Contains(labels, "gcra:burst=2") ||
		!slices.Contains(labels, "gcra:burst=1") || len(leftOut) > 0 {
		t.Errorf("%v, left out %v", labels, leftOut)
	}
	if sorted := slices.Sorted(slices.Values(labels)); len(slices.Compact(sorted)) != len(labels) {
		t.Errorf("twice the same in %v", labels)
	}
	if !slices.Contains(labels, "sliding-window-buckets:subwindows=60") ||
		slices.Contains(labels, "sliding-window-buckets:subwindows=10") {
		t.Errorf("ten sub-windows are the default: %v", labels)
	}
}

// A script that does not decide as its model is never recommended.
func TestScriptThatDiffersFromItsModelIsAnError(t *testing.T) {
	w := worked()
	_, err := workedQuestion(t).Answer(context.Background(),
		func(ctx context.Context, server string, list []*scenario.Scenario, c []algorithms.Choice) (*report.Document,
			error) {
			if server != Models {
				w.scenarios["edge"]["gcra"] = figuresOf{peak: 109}
			}
			return w.replay(ctx, server, list, c)
		})
	if err == nil || !strings.Contains(err.Error(),
		"edge, gcra: the script on redis 8 (embedded, pipe) does not decide as its model: it admits 500 requests and "+
			"the model 550") {
		t.Errorf("error %v", err)
	}
}

// Without a server nothing is confirmed, and calls are not known.
func TestModelsAlone(t *testing.T) {
	q, w := workedQuestion(t), worked()
	q.Server = Models
	doc := answer(t, q, w)
	if len(w.calls) != 1 || doc.Candidates[0].Confirmed || doc.Candidates[0].RedisCalls != nil ||
		doc.Recommended != "sliding-window-log" {
		t.Errorf("asked %v, %+v", w.calls, doc.Candidates[0])
	}
}

func TestReplayErrorsAreReturned(t *testing.T) {
	stopped := errors.New("stopped")
	_, err := workedQuestion(t).Answer(context.Background(),
		func(context.Context, string, []*scenario.Scenario, []algorithms.Choice) (*report.Document, error) {
			return nil, stopped
		})
	if !errors.Is(err, stopped) {
		t.Errorf("error %v", err)
	}
}

// The time scale of an overshoot is the shortest interval in which the limit's requests were exceeded.
func TestTimeScaleOfAnOvershoot(t *testing.T) {
	run := &report.Run{Limit: result.Limit{Requests: 100, WindowUS: 1_000_000}, TimeScales: &report.TimeScales{
		IntervalUS: []int64{1000, 200_000, 1_000_000, 2_000_000}, Limit: []int64{100, 120, 200, 300}}}
	f := evidence{run: run, row: &report.Row{Figures: measure.Figures{MostAdmitted: []int64{100, 150, 198,
		298}}}}.figures()
	if f.OverLimitWithinUS == nil || *f.OverLimitWithinUS != 200_000 {
		t.Errorf("above the limit within %v, want 200 ms", f.OverLimitWithinUS)
	}
	if want := (Excess{200_000, 150, 120, 1.25}); f.LargestExcess == nil || *f.LargestExcess != want {
		t.Errorf("largest excess %v, want %v", f.LargestExcess, want)
	}
}
