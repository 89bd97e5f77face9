package page

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ratelab/algorithms"
	"ratelab/internal/curves"
	"ratelab/internal/measure"
	"ratelab/internal/result"
)

// worked is a page of one small run: 4 tokens in 2 s, eight requests in four seconds. The fixed window admits all
// of them, four on each side of its edge; the log only what the limit allows.
func worked() Input {
	fixed := counted(8, 8, 8, 4, 0)
	exact := counted(8, 4, 4, 0, 0)
	run := result.Run{
		Scenario: "small", Question: "Does 4 per 2 s hold across a window's edge?", Seed: 1, Clock: "virtual",
		Limit: result.Limit{Requests: 4, WindowUS: 2_000_000, Burst: 4}, DurationUS: 4_000_000, Keys: 1,
		Server:    result.Server{Kind: "embedded", Name: "miniredis", Version: "2.40.0", Transport: "pipe"},
		Reference: &exact,
		Results: []result.Row{
			{Algorithm: "none", Figures: measure.Figures{Result: fixed, MostAdmitted: []int64{2, 6, 8, 8}}},
			{Algorithm: "fixed-window-aligned",
				Figures: measure.Figures{Result: fixed, MostAdmitted: []int64{2, 6, 8, 8},
					Bound: []int64{4, 8, 8, 44}}},
			{Algorithm: "gcra", Parameters: map[string]string{"burst": "4", "time": "server"},
				Figures: measure.Figures{Result: counted(8, 6, 6, 2, 0), MostAdmitted: []int64{2, 5, 6, 6},
					Bound: []int64{4, 6, 8, 24}}},
			{Algorithm: "sliding-window-log",
				Figures: measure.Figures{Result: exact, MostAdmitted: []int64{2, 4, 4, 4},
					Bound: []int64{4, 4, 4, 40}}},
		},
		TimeScales: &result.TimeScales{IntervalUS: []int64{1_000, 1_000_000, 2_000_000, 20_000_000},
			Limit: []int64{4, 6, 8, 44}},
		Notes: []string{"worked by hand"},
	}
	met := true
	got := 8.0
	run.Expectations = []result.Expectation{{Algorithm: "fixed-window-aligned", Measure: "admitted", Want: "8",
		Got: &got, Met: &met}}
	doc := result.New(result.OfSimulate, "v1.0.0")
	doc.Runs = []result.Run{run}
	offered := []int64{0, 4, 4, 0}
	series := func(admitted, rolling []int64) measure.Series {
		return measure.Series{BucketUS: 1_000_000, Admitted: admitted, Rolling: rolling}
	}
	all, log := series(offered, []int64{0, 4, 8, 8}), series([]int64{0, 4, 0, 0}, []int64{0, 4, 4, 4})
	return Input{
		Document: doc,
		Charts: []curves.Input{{Run: &doc.Runs[0], Traffic: measure.Traffic{BucketUS: 1_000_000, Offered: offered},
			Reference: &log,
			Algorithms: []curves.Limiter{{Label: "none", Series: all}, {Label: "fixed-window-aligned", Series: all},
				{Label: "gcra", Series: series([]int64{0, 4, 2, 0}, []int64{0, 4, 6, 6})}, {Label: "sliding-window-log",
					Series: log}}}},
		Algorithms: []algorithms.Algorithm{{Name: "gcra", Family: "bucket", State: "one timestamp",
			Rule: "a timestamp moves on", Bound: "N(τ) ≤ B + r·τ",
			Sources: []string{"ITU-T I.371", "https://example.org/gcra"}}},
		Command: "simulate small.yaml",
	}
}

func counted(offered, admitted, peak, excess, missing int64) measure.Result {
	return measure.Result{Offered: offered, Admitted: admitted, Rejected: offered - admitted, OfferedCost: offered,
		AdmittedCost: admitted,
		Peak:         peak, XLimit: float64(peak) / 4, Excess: excess, ExactCost: 4,
		Lost: float64(missing) / 4, DecisionsDigest: fmt.Sprintf("%032x", admitted)}
}

// everything is worked with all findings, and a second scenario.
func everything() Input {
	in := worked()
	second := in.Document.Runs[0]
	second.Scenario, second.Partial, second.ClientGroups = "second", true, []string{"polite", "rude"}
	second.Results = append([]result.Row{}, second.Results...)
	calls, left := 2.5, int64(3)
	for i := range second.Results {
		row := &second.Results[i]
		row.Commands, row.KeysLeft = &calls, &left
		row.Fairness = &measure.Fairness{Keys: 3, WorstKey: "a", WorstServed: 0.5, BestServed: 1.5}
		row.Clients = &measure.Clients{Operations: 10, Succeeded: 8,
			TimeToSuccessUS: &measure.Percentiles{P50: 1500, P99: 2_000_000},
			RetryAfter:      &measure.RetryAfter{Checked: 3, True: 3},
			Groups: []measure.ClientGroup{{Name: "polite", Operations: 5, Succeeded: 5},
				{Name: "rude", Operations: 5, Succeeded: 3}}}
		row.ClockEffect = &measure.ClockEffect{ExtraAdmitted: 1, PeakWithRightClocks: 2, LockoutUS: 5_000_000}
		row.Race = &measure.Race{Commands: 16, RaceAdmits: 2}
		row.LocalFlag = &measure.LocalFlag{LocalRejects: 4, WrongRejects: 1}
	}
	in.Document.Runs = append(in.Document.Runs, second)
	in.Document.Examinations = []result.Examination{{Algorithm: "gcra", Limit: second.Limit, Family: "gcra",
		Findings: []result.Finding{{Fault: true, Kind: "never_expires", Name: "never expires", Text: "after 1 request"},
			{Kind: "edge", Text: "admits 7 in 2s"}}}}
	again := in.Charts[0]
	in.Charts = append(in.Charts, again)
	in.Charts[0].Run, in.Charts[1].Run = &in.Document.Runs[0], &in.Document.Runs[1]
	return in
}

// halved is worked, ended in the middle of its last bucket.
func halved() Input {
	in := worked()
	in.Document.Runs[0].DurationUS = 3_500_000
	return in
}

// large is more than everything that is built in, with curves that never repeat themselves.
func large() Input {
	random := rand.New(rand.NewPCG(1, 2))
	in := Input{Document: &result.Document{}}
	for i := range 26 {
		run := worked().Document.Runs[0]
		run.Scenario, run.Results = fmt.Sprintf("scenario-number-%d", i), nil
		run.TimeScales = &result.TimeScales{}
		for n := range 36 {
			run.TimeScales.IntervalUS = append(run.TimeScales.IntervalUS, int64(n+1)*1000)
			run.TimeScales.Limit = append(run.TimeScales.Limit, int64(n+4))
		}
		var rows []curves.Limiter
		for j := range 15 {
			row := result.Row{Algorithm: fmt.Sprintf("some-algorithm-%d", j), ScriptSHA1: strings.Repeat("a", 40),
				Figures: measure.Figures{Result: counted(9000, 8000, 700, 300, 20)}}
			for range 36 {
				row.MostAdmitted = append(row.MostAdmitted, random.Int64N(9000))
				row.Bound = append(row.Bound, random.Int64N(9000))
			}
			run.Results = append(run.Results, row)
			rows = append(rows, curves.Limiter{Label: row.Algorithm, Series: noise(random)})
		}
		in.Document.Runs = append(in.Document.Runs, run)
		log := noise(random)
		in.Charts = append(in.Charts, curves.Input{Algorithms: rows, Reference: &log,
			Traffic: measure.Traffic{BucketUS: log.BucketUS, Offered: slices.Repeat([]int64{90}, len(log.Admitted))}})
	}
	for i := range in.Charts {
		in.Charts[i].Run = &in.Document.Runs[i]
	}
	return in
}

func noise(random *rand.Rand) measure.Series {
	s := measure.Series{BucketUS: 10_000}
	for range 512 {
		s.Admitted = append(s.Admitted, random.Int64N(90))
		s.Rolling = append(s.Rolling, random.Int64N(2000))
	}
	return s
}

func rendered(t *testing.T, in Input) string {
	t.Helper()
	var out strings.Builder
	if err := Write(&out, in); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
