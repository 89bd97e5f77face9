package recommend

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/measure"
	"ratelab/internal/report"
	"ratelab/internal/result"
	"ratelab/internal/scenario"
	"ratelab/internal/traffic"
)

// figuresOf is what a test lets an algorithm do: the peak of a window of 100, and of 1000 admitted how many are beyond
// the contract and how many are missing. What has the same figures decides the same.
type figuresOf struct {
	peak, excess, shortfall int64
	calls                   float64
	delay                   int64
}

// stage is what every algorithm does in every scenario, with each seed from 1 on or with all alike, and what was asked
// of it.
type stage struct {
	scenarios map[string]map[string]figuresOf
	seeded    map[string]map[string][]figuresOf
	calls     []string // server, scenarios, labels
	memory    bool     // a key takes a hundred bytes for each command, and half of that at the end
}

// replay stands for a job: rows as a server or the models would give them.
func (w *stage) replay(_ context.Context, play Play) (*report.Document, error) {
	doc := &report.Document{}
	var labels, names []string
	for _, c := range play.Choices {
		labels = append(labels, c.Label)
	}
	for _, s := range play.Scenarios {
		contest := lineup.NewContest(s, play.Instead)
		names = append(names, s.Name)
		scales := []int64{500_000, 1_000_000}
		run := report.Run{Scenario: s.Name, Question: "Which?", Seed: contest.Seed,
			Limit: result.LimitOf(contest.Policy), DurationUS: 10_000_000, Keys: 1,
			TimeScales: &report.TimeScales{IntervalUS: scales, Limit: measure.Allowed(contest.Policy, scales)},
			Server:     result.Server{Kind: play.Server, Name: "redis", Version: "8", Transport: "pipe"},
			Reference:  &measure.Result{Offered: 1000, Rejected: 1}}
		for _, label := range labels {
			run.Results = append(run.Results, w.row(play.Server, s, contest, label))
			if keys := run.Results[len(run.Results)-1].KeysLeft; play.Only != nil && keys != nil {
				*keys = 2
			}
		}
		doc.Runs = append(doc.Runs, run)
	}
	call := play.Server + " " + strings.Join(names, ",") + ": " + strings.Join(labels, " ")
	if play.Contract != nil {
		call = play.Contract.String() + " " + call
	}
	w.calls = append(w.calls, call)
	return doc, nil
}

func (w *stage) row(server string, s *scenario.Scenario, contest lineup.Contest, label string) report.Row {
	f := w.scenarios[s.Name][label]
	if seeded := w.seeded[s.Name][label]; seeded != nil {
		f = seeded[contest.Seed-1]
	}
	choice, err := algorithms.Parse(label)
	if err != nil {
		panic(err)
	}
	in, err := choice.Instance(contest.Policy)
	if err != nil {
		panic(err)
	}
	row := report.Row{Algorithm: label, Parameters: in.Parameters,
		Figures: measure.Figures{Result: measure.Result{Offered: 1000, Admitted: 500 + f.excess - f.shortfall,
			PeakWindowAdmitted: f.peak, Overshoot: float64(f.peak) / float64(s.Limit.Requests),
			Excess: f.excess, ExcessCost: f.excess, AdmittedCost: 1000, ExactCost: 1000, Shortfall: f.shortfall,
			ShortfallCost: f.shortfall, Utilization: 0.5,
			DecisionsDigest: fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, f.peak, f.excess, f.shortfall)))[:32]},
			MostAdmitted: []int64{f.peak / 2, f.peak}}}
	if in.MostAdmitted != nil {
		row.Bound = []int64{in.MostAdmitted(500_000, 1), in.MostAdmitted(1_000_000, 1)}
	}
	if f.delay > 0 {
		row.Shaping = &measure.Shaping{DelayUS: measure.Percentiles{Max: f.delay}}
	}
	if server != Models {
		if bytes, keys := f.calls*50, int64(1); w.memory {
			row.BytesPerKey, row.KeysLeft = &bytes, &keys
		}
		row.RedisCallsPerDecision, row.RedisCallsPerAdmitted, row.RedisCallsPerRejected = &f.calls, &f.calls, &f.calls
	}
	return row
}

func named(name string) *scenario.Scenario {
	return &scenario.Scenario{Name: name, Question: "Which?", Limit: limit.Policy{Requests: 100, Window: time.Second},
		Seed: 1, NamesContract: true}
}

// random is a scenario of which every seed is another traffic.
func random(name string) *scenario.Scenario {
	s := named(name)
	s.Phases = []traffic.Phase{{Name: "all", Duration: time.Second, Keys: traffic.Uniform{Count: 1 << 40},
		Cost: traffic.FixedCost(1), Arrivals: traffic.Constant(3)}}
	return s
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
// 1000 admitted, the log is exact, two buckets decide alike within the tolerance of 1.10 and 1 % and promise 1.99, one
// candidate is above it by a hair, one rejects a hair too much and promises 1.00, and one rejects much and promises
// 1.09.
func worked() *stage {
	return &stage{scenarios: map[string]map[string]figuresOf{"edge": {
		"sliding-window-log":     {peak: 100, calls: 4.5},
		"gcra":                   {peak: 110, excess: 10, shortfall: 10, calls: 3},
		"leaky-bucket":           {peak: 110, excess: 10, shortfall: 10, calls: 2},
		"sliding-window-counter": {peak: 111, excess: 5, calls: 3},
		"gcra:burst=10":          {peak: 90, shortfall: 300, calls: 3},
		"sliding-window-buckets": {peak: 100, shortfall: 11, calls: 2},
	}}}
}

var workedLabels = []string{"gcra", "gcra:burst=10", "leaky-bucket", "sliding-window-buckets", "sliding-window-counter",
	"sliding-window-log"}

func workedQuestion(t *testing.T) *Question {
	return &Question{Scenarios: []*scenario.Scenario{named("edge")}, Choices: choices(t, workedLabels...),
		Server: "embedded", Seeds: DefaultSeeds, Search: 20_000,
		Tolerance: DefaultTolerance(), Prefer: "cheap", Tool: result.Tool{Name: "simulate", Version: "v1.0.0"}}
}

func answer(t *testing.T, q *Question, w *stage) *Document {
	t.Helper()
	doc, err := q.Answer(context.Background(), w.replay)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// said is one line a candidate: its rank in both answers and what keeps it out of each.
func said(d *Document) []string {
	var lines []string
	for _, c := range d.Candidates {
		line := fmt.Sprintf("%d %d %s %d/%d", c.RankOnThisTraffic, c.RankOnAnyTraffic, c.Algorithm, c.Kept, c.Seeds)
		for _, x := range slices.Concat(c.ExcludedBy, c.Unpromised) {
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
		"1 0 leaky-bucket 1/1; promises at most 1.99 x the limit, more than 1.1; " +
			"it may delay what it admits by up to 990ms, more than 0s",
		"1 0 gcra 1/1; promises at most 1.99 x the limit, more than 1.1",
		"2 3 sliding-window-log 1/1",
		"0 1 sliding-window-buckets 0/1; lets through 11 less than the 1000 of an exact limiter: 1.1%, more than 1%",
		"0 2 gcra:burst=10 0/1; lets through 300 less than the 1000 of an exact limiter: 30.0%, more than 1%",
		"0 0 sliding-window-counter 0/1; peak 111 in 1s is 1.11 x the limit, more than 1.1; " +
			"promises at most 1.99 x the limit, more than 1.1",
	}
	if diff := cmp.Diff(want, said(doc)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	wantWhy := []string{
		"leaky-bucket is before sliding-window-log: it takes 2 Redis commands to admit a request, " +
			"sliding-window-log 4.5",
		"the nearest of those that do not keep it is sliding-window-counter: peak 111 in 1s is 1.11 x the limit, " +
			"more than 1.1; it would be in with --max-overshoot 1.11",
	}
	if diff := cmp.Diff(wantWhy, doc.OnThisTraffic.Why); diff != "" {
		t.Errorf("why (-want +got):\n%s", diff)
	}
	wantFinding := "the answers differ: on this traffic leaky-bucket will do, but promises at most 1.99 x the limit, " +
		"more than 1.1; sliding-window-buckets promises at most 1.00 x, at the price of a shortfall of 1.1% here"
	if doc.Finding != wantFinding {
		t.Errorf("finding %q", doc.Finding)
	}
	if diff := cmp.Diff([]Tie{{[]string{"leaky-bucket", "gcra"}}}, doc.Ties); diff != "" {
		t.Errorf("ties (-want +got):\n%s", diff)
	}
	wantAsked := []string{ // the models decide for all, the server for those that matter
		"model edge: gcra gcra:burst=10 leaky-bucket sliding-window-buckets sliding-window-counter sliding-window-log",
		"embedded edge: gcra gcra:burst=10 leaky-bucket sliding-window-buckets sliding-window-counter " +
			"sliding-window-log",
	}
	if diff := cmp.Diff(wantAsked, w.calls); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	for _, c := range doc.Candidates {
		if !c.Confirmed {
			t.Errorf("%s is not confirmed", c.Algorithm)
		}
		if searched := c.Promise.Found != nil; searched != (c.RankOnAnyTraffic > 0) {
			t.Errorf("%s: searched is %t", c.Algorithm, searched)
		}
	}
	if b := doc.Candidates[4].Burst; b == nil || *b != 10 {
		t.Errorf("the burst of %s is %v", doc.Candidates[4].Algorithm, b)
	}
}

func TestPreferencesOrder(t *testing.T) {
	for prefer, want := range map[string][2]string{
		"cheap": {"leaky-bucket gcra sliding-window-log", "sliding-window-buckets gcra:burst=10 sliding-window-log"},
		"strict": {"sliding-window-log leaky-bucket gcra",
			"sliding-window-log sliding-window-buckets gcra:burst=10"},
		"generous": {"sliding-window-log leaky-bucket gcra",
			"sliding-window-log sliding-window-buckets gcra:burst=10"},
	} {
		q := workedQuestion(t)
		q.Prefer = prefer
		doc := answer(t, q, worked())
		got := [2]string{strings.Join(doc.OnThisTraffic.Algorithms, " "),
			strings.Join(doc.OnAnyTraffic.Algorithms, " ")}
		if got != want {
			t.Errorf("%s: %v, want %v", prefer, got, want)
		}
	}
}

// Of random traffic 19 of 20 seeds are enough, and 18 are not; the figures are medians with their range, and what would
// have to be tolerated is what the nineteenth seed takes.
func TestNineteenOfTwentySeeds(t *testing.T) {
	w := worked()
	q := workedQuestion(t)
	q.Scenarios, q.Choices = []*scenario.Scenario{random("edge")}, choices(t, "fixed-window", "gcra")
	seeds := func(peaks ...int64) []figuresOf {
		all := slices.Repeat([]figuresOf{{peak: 100, calls: 1}}, 20)
		for i, peak := range peaks {
			all[3*i].peak = peak
		}
		return all
	}
	w.seeded = map[string]map[string][]figuresOf{"edge": {"fixed-window": seeds(150), "gcra": seeds(140, 120)}}
	doc := answer(t, q, w)
	want := []string{
		"1 0 fixed-window 19/20; promises at most 1.99 x the limit, more than 1.1",
		"0 0 gcra 18/20; in 2 of 20 seeds more than 1.1 x the limit, up to 1.40; " +
			"promises at most 1.99 x the limit, more than 1.1",
	}
	if diff := cmp.Diff(want, said(doc)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, want := doc.Candidates[0].Overshoot, (Worst{Spread{1, 1, 1.5}, "edge"}); got != want {
		t.Errorf("overshoot %v, want %v", got, want)
	}
	if got := doc.Candidates[1].remedy(); got != "--max-overshoot 1.2" {
		t.Errorf("remedy %q", got)
	}
	if n := len(w.calls); n != 21 {
		t.Errorf("%d jobs: want one for each seed, and one on the server", n)
	}
}

func TestNeeded(t *testing.T) {
	for seeds, want := range map[int]int{1: 1, 10: 10, 19: 19, 20: 19, 40: 38, 41: 39, 1000: 950} {
		if got := needed(seeds); got != want {
			t.Errorf("%d of %d seeds, want %d", got, seeds, want)
		}
	}
}

// A shaper is taken only under a tolerated delay, and on any traffic by what its queue may come to.
func TestShapers(t *testing.T) {
	w := worked()
	w.scenarios["edge"]["leaky-bucket:burst=10"] = figuresOf{peak: 100, delay: 50_000, calls: 1}
	q := workedQuestion(t)
	q.Choices = choices(t, "leaky-bucket:burst=10")
	for delay, want := range map[int64]string{
		0: "0 0 leaky-bucket:burst=10 0/1; delays what it admits by up to 50ms, more than 0s; " +
			"it may delay what it admits by up to 90ms, more than 0s",
		50_000: "1 0 leaky-bucket:burst=10 1/1; it may delay what it admits by up to 90ms, more than 50ms",
		90_000: "1 1 leaky-bucket:burst=10 1/1",
	} {
		q.Tolerance.MaxDelayUS = delay
		if got := said(answer(t, q, w)); got[0] != want {
			t.Errorf("%d us: %s", delay, got[0])
		}
	}
}

// Where nobody names a contract the models play the other one as well, and the costs are those counted under the first.
func TestTheOtherContract(t *testing.T) {
	w := worked()
	q := workedQuestion(t)
	q.Scenarios[0].NamesContract = false
	doc := answer(t, q, w)
	want := &OtherContract{Contract: limit.ByBucket, OnThisTraffic: "leaky-bucket",
		OnAnyTraffic: "sliding-window-buckets"}
	if diff := cmp.Diff(want, doc.OtherContract); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(w.calls) != 3 || !strings.HasPrefix(w.calls[1], "bucket model edge: ") {
		t.Errorf("asked %v", w.calls)
	}
	window := limit.ByWindow
	q.Contract = &window
	if doc := answer(t, q, worked()); doc.OtherContract != nil {
		t.Errorf("--contract was given: %+v", doc.OtherContract)
	}
}

// Of the buckets that are in the second answer those with the largest burst come first, whatever they cost.
func TestTheLargestBurstThatPromisesComesFirst(t *testing.T) {
	w := worked()
	w.scenarios["edge"]["gcra:burst=1"] = figuresOf{peak: 90, shortfall: 600, calls: 1}
	q := workedQuestion(t)
	q.Choices = append(q.Choices, choices(t, "gcra:burst=1")...)
	got := answer(t, q, w).OnAnyTraffic.Algorithms
	want := []string{"sliding-window-buckets", "gcra:burst=10", "sliding-window-log", "gcra:burst=1"}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// The tolerated share of a limit is counted in decimals.
func TestStrictBurst(t *testing.T) {
	for _, c := range []struct {
		over           float64
		requests, want int64
	}{{1.1, 1000, 100}, {1.1, 10, 1}, {1.1, 9, 0}, {1, 1000, 0}, {1.15, 100, 15}, {1.3, 10, 3}, {3, 7, 14}} {
		if got := (Tolerance{MaxOvershoot: c.over}).strictBurst(c.requests); got != c.want {
			t.Errorf("%v of %d: %d, want %d", c.over, c.requests, got, c.want)
		}
	}
	entrants, _ := field([]limit.Policy{{Requests: 1000, Window: time.Second}}, Tolerance{MaxOvershoot: 1.15})
	if !slices.ContainsFunc(entrants, func(e entrant) bool { return e.label == "gcra:burst=150" }) {
		t.Errorf("no gcra:burst=150 in %v", entrants)
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
	if doc.OnThisTraffic.First() != "sliding-window-log" || doc.Candidates[1].qualifies() {
		t.Errorf("%v", said(doc))
	}
	if got, want := doc.Candidates[1].Overshoot, (Worst{Spread{1.1, 1.1, 1.1}, "edge"}); got != want {
		t.Errorf("the worst of gcra is %v, want %v", got, want)
	}
	if x := doc.Candidates[1].ExcludedBy; len(x) != 1 ||
		x[0].Words != "edge: peak 110 in 1s is 1.10 x the limit, more than 1" {
		t.Errorf("excluded by %v", x)
	}
}

// Where limits differ, a tenth of the limit is one candidate with another number in each.
func TestVariantsFollowEachLimit(t *testing.T) {
	entrants, _ := field([]limit.Policy{{Requests: 100, Window: time.Second}, {Requests: 1000, Window: time.Minute}},
		DefaultTolerance())
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
	entrants, leftOut := field([]limit.Policy{{Requests: 5, Window: time.Second}}, DefaultTolerance())
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
		func(ctx context.Context, play Play) (*report.Document, error) {
			if play.Server != Models {
				w.scenarios["edge"]["gcra"] = figuresOf{peak: 109}
			}
			return w.replay(ctx, play)
		})
	if err == nil || !strings.Contains(err.Error(),
		"edge, gcra: the script on redis 8 (embedded, pipe) does not decide as its model: it admits 500 requests and "+
			"the model 500") {
		t.Errorf("error %v", err)
	}
}

// Without a server nothing is confirmed, and calls are not known.
func TestModelsAlone(t *testing.T) {
	q, w := workedQuestion(t), worked()
	q.Server = Models
	doc := answer(t, q, w)
	if len(w.calls) != 1 || doc.Candidates[0].Confirmed || doc.Candidates[0].RedisCalls != nil ||
		doc.OnThisTraffic.First() != "gcra" { // the first by name
		t.Errorf("asked %v, %+v", w.calls, doc.Candidates[0])
	}
}

// What the models say is shown before the server was asked, unless there are scripts, which no model knows.
func TestTheModelsAnswerIsShownFirst(t *testing.T) {
	for _, scripts := range []bool{false, true} {
		q, w := workedQuestion(t), worked()
		var early []string
		asked := 0
		q.Scripts, q.Early = scripts, func(doc *Document) {
			early, asked = append(early, doc.OnThisTraffic.First()), len(w.calls)
		}
		answer(t, q, w)
		if want := map[bool]int{false: 1, true: 0}[scripts]; len(early) != want || asked >= len(w.calls) ||
			!scripts && early[0] != "gcra" {
			t.Errorf("scripts %t: %v was shown after %d of %d jobs", scripts, early, asked, len(w.calls))
		}
	}
}

func TestReplayErrorsAreReturned(t *testing.T) {
	stopped := errors.New("stopped")
	_, err := workedQuestion(t).Answer(context.Background(),
		func(context.Context, Play) (*report.Document, error) { return nil, stopped })
	if !errors.Is(err, stopped) {
		t.Errorf("error %v", err)
	}
}
