package report_test

import (
	"testing"

	"ratelab/internal/limit"
	"ratelab/internal/measure"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// What clients or wrong clocks do to an algorithm is no reason to call it strict or lax: the answer at the top goes by
// the scenarios that compare like with like, and says so where others are on the page.
func TestTheAnswerComparesLikeWithLike(t *testing.T) {
	within := func(name string, excess, missing int64) result.Run {
		return result.Run{Scenario: name,
			Results: []result.Row{{Algorithm: "log",
				Figures: measure.Figures{Result: measure.Result{Offered: 1, AdmittedCost: 10, ExactCost: 10,
					Excess: excess, Lost: float64(missing) / 10}}}}}
	}
	stepped := within("stepped", 2, 0)
	stepped.Results[0].ClockEffect = &measure.ClockEffect{}
	reacting := within("reacting", 2, 0)
	reacting.ClientGroups = []string{"clients"}
	bucket, outage := within("bucket", 2, 0), within("outage", 2, 0)
	bucket.Limit.Contract, outage.Results[0].Unavailable = limit.ByBucket, 1
	for want, runs := range map[string][]result.Run{
		"In 2 scenarios log keeps the contract, and admits all that an exact limiter would. Who else keeps " +
			"it: nobody.": {within("a", 0, 0), within("b", 0, 0)},
		"No algorithm keeps the contract in all of 2 scenarios.": {within("a", 0, 0), within("b", 2, 0)},
		"In 2 scenarios nobody admits what an exact limiter would. Who keeps the contract: log, admitting up to " +
			"30 % less.": {within("a", 0, 3), within("b", 0, 1)},
		"In 1 scenario (the same requests for all, the window's contract, no fault) log keeps the contract, " +
			"and admits all that an exact limiter would. Who else keeps it: nobody.": {within("a", 0, 0), stepped,
			reacting, bucket, outage},
		"": {stepped, reacting},
	} {
		doc := &result.Document{Runs: runs}
		got := report.Answer(doc)
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Who reads the answer is told of each run that it leaves out, and why.
func TestLeftOut(t *testing.T) {
	run := func(row result.Row, groups ...string) result.Run {
		return result.Run{Results: []result.Row{row}, ClientGroups: groups}
	}
	down := result.Row{}
	down.Unavailable = 1
	runs := []result.Run{run(result.Row{}), run(down, "clients"), run(result.Row{}, "clients"), run(result.Row{}),
		run(result.Row{Figures: measure.Figures{Race: &measure.Race{}}}, "clients"),
		run(result.Row{Figures: measure.Figures{ClockEffect: &measure.ClockEffect{}}}), run(result.Row{})}
	runs[6].Limit.Contract = limit.ByBucket
	doc := &result.Document{Runs: runs}
	for i, want := range []string{"", "the server fails",
		"clients react, so that each algorithm meets requests of its own", "", "commands interleave",
		"a clock is wrong", "the contract is the bucket's"} {
		if got := doc.LeftOut(&doc.Runs[i]); got != want {
			t.Errorf("run %d: %q; want %q", i, got, want)
		}
	}
}
