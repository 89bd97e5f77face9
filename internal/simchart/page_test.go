package simchart

import (
	"slices"
	"strings"
	"testing"

	"ratelab/internal/chart"
	"ratelab/internal/curves"
	"ratelab/internal/measure"
)

// figuresOf are the pictures of a run that can be drawn.
func figuresOf(in curves.Input) []figure {
	all, err := figures(in)
	if err != nil {
		panic(err)
	}
	return all
}

// drawn gives the texts of a figure with their places, without encoding it.
func drawn(f figure) []chart.Text { return f.picture().Texts() }

// No text meets another or leaves the page, in any situation.
func TestTextsKeepApart(t *testing.T) {
	for _, in := range situations() {
		for _, f := range figuresOf(in) {
			for _, fault := range f.picture().Faults() {
				t.Errorf("%s.%s: %s", in.Run.Scenario, f.name, fault)
			}
		}
	}
}

// The figures that the worked cases are known for can be read off the picture of the rolling window.
func TestWindowFigureShowsTheWorkedPeaks(t *testing.T) {
	f := figuresOf(play(caseOne(), 512, twelve(1000)...))[1]
	texts := words(f)
	for _, want := range []string{"limit 1,000", "1,980", "1.98 × the limit", "1,412", "1,765", "865",
		"within the limit"} {
		if !slices.Contains(texts, want) {
			t.Errorf("no %q among %q", want, texts)
		}
	}
	if slices.Contains(texts, "1.00 × the limit") {
		t.Error("a peak at the limit is shown as an overshoot")
	}
}

// Title, limit, unit, origin and version are on each page; only the row none has no panel.
func TestPagesSayWhatTheyShow(t *testing.T) {
	in := play(caseOne(), 512, twelve(1000)...)
	// of the horizontal axis
	end := map[string]string{"admitted": "6 s", "window": "6 s", "cumulative": "6 s", "timescale": "1 s"}
	for _, f := range figuresOf(in) {
		all := strings.Join(words(f), "\n")
		for _, want := range []string{in.Run.Question, "Limit 1,000 per 3 s.", "extreme-case-1", "seed 1",
			"miniredis 2.40.0 (embedded, pipe)",
			"ratelab v1.0.0", "sliding-window-counter", "gcra:burst=100", f.unit, end[f.name]} {
			if !strings.Contains(all, want) {
				t.Errorf("%s: no %q", f.name, want)
			}
		}
		if strings.Contains(all, "\nnone\n") || len(f.panels()) != 12 {
			t.Errorf("%s: none has a panel, or another has not (%d panels)", f.name, len(f.panels()))
		}
	}
}

func TestPartialRunsSaySo(t *testing.T) {
	for _, f := range figuresOf(withNone()) {
		if !strings.Contains(strings.Join(words(f), " "), "PARTIAL") {
			t.Errorf("%s does not say that its run was interrupted", f.name)
		}
	}
}

// Costs make the axis count permits.
func TestUnitFollowsTheCosts(t *testing.T) {
	in := one()
	in.Run.Reference = &measure.Result{Offered: 100, OfferedCost: 300}
	for _, f := range figuresOf(in) {
		if !strings.HasPrefix(f.unit, "permits") {
			t.Errorf("%s: unit %q, want permits", f.name, f.unit)
		}
	}
}

func words(f figure) []string {
	var out []string
	for _, b := range drawn(f) {
		out = append(out, b.Text)
	}
	return out
}
