package report_test

import (
	"testing"

	"ratelab/internal/measure"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// The answer goes by what the rules guarantee, and not by what happened; a shaper is told apart.
func TestGuaranteeing(t *testing.T) {
	row := func(name string, guarantee float64) result.Row {
		return result.Row{Algorithm: name, Figures: measure.Figures{Guarantee: &guarantee}}
	}
	leaky := row("leaky-bucket", 1)
	leaky.Shaping = &measure.Shaping{}
	costly := leaky
	costly.XLimit = 1.4
	lucky := result.Run{Limit: result.Limit{Requests: 10}, Results: []result.Row{row("fixed-window-aligned", 2),
		row("sliding-window-log", 1), row("gcra", 1.9), row("gcra:limit=9:burst=1", 1), leaky, {Algorithm: "mine"}}}
	for want, run := range map[string]result.Run{
		"Log and gcra .9+.1 keep the limit on any traffic; leaky bucket by holding requests back.": lucky,
		"Log keeps the limit on any traffic.": {
			Results: []result.Row{row("sliding-window-log", 1), costly}},
		"No limiter keeps the limit on any traffic.": {Results: []result.Row{row("gcra", 1.9)}},
	} {
		if got := report.Guaranteeing(&result.Document{Runs: []result.Run{run}}); got != want {
			t.Errorf("%q; want %q", got, want)
		}
	}
}

// A run that does not compare limiters says why.
func TestSituation(t *testing.T) {
	run := func(row result.Row, groups ...string) result.Run {
		return result.Run{Results: []result.Row{row}, ClientGroups: groups}
	}
	down := result.Row{}
	down.Unavailable = 1
	runs := []result.Run{run(result.Row{}), run(down, "clients"), run(result.Row{}, "clients"), run(result.Row{}),
		run(result.Row{Figures: measure.Figures{Race: &measure.Race{}}}, "clients"),
		run(result.Row{Figures: measure.Figures{ClockEffect: &measure.ClockEffect{}}})}
	for i, want := range []string{"", "the server fails",
		"clients react, so that each limiter meets requests of its own", "", "commands interleave",
		"a clock is wrong"} {
		if got := runs[i].Situation(); got != want {
			t.Errorf("run %d: %q; want %q", i, got, want)
		}
	}
}
