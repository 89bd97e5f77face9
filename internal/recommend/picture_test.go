package recommend

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ratelab/internal/chart"
)

// No text meets another or leaves the page, wherever the candidates stand and however many qualify.
func TestTextsKeepApart(t *testing.T) {
	for name, doc := range map[string]*Document{"worked": answer(t, workedQuestion(t), worked()), "full": full(t),
		"nobody": nobody(t), "seeds": seeds(t)} {
		for _, fault := range doc.picture().Faults() {
			t.Errorf("%s: %s", name, fault)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		doc := answer(t, workedQuestion(t), worked())
		doc.Candidates = nil
		doc.Tolerance.MaxOvershoot = float64(rapid.IntRange(50, 300).Draw(rt, "tolerance")) / 100
		doc.Tolerance.MaxShortfall = float64(rapid.IntRange(0, 100).Draw(rt, "share")) / 100
		for i := range rapid.IntRange(1, 26).Draw(rt, "candidates") {
			c := Candidate{Algorithm: fmt.Sprintf("token-bucket-interval:capacity=%d", 10*i)}
			if i < 9 && rapid.Bool().Draw(rt, "qualifies") {
				c.RankOnThisTraffic = i + 1
			}
			over := float64(rapid.IntRange(0, 250).Draw(rt, "overshoot")) / 100 *
				rapid.SampledFrom([]float64{1, 1, 1, 10}).Draw(rt, "scale")
			short := float64(rapid.IntRange(0, 100).Draw(rt, "shortfall")) / 100
			wide := rapid.SampledFrom([]float64{0, 0.1, 0.5}).Draw(rt, "range")
			c.Overshoot.Spread = Spread{over, over * (1 - wide), over * (1 + wide)}
			c.Shortfall.Spread = Spread{short, short * (1 - wide), min(1, short*(1+wide))}
			doc.Candidates = append(doc.Candidates, c)
		}
		for _, fault := range doc.picture().Faults() {
			rt.Fatal(fault)
		}
	})
}

func words(p chart.Picture) string {
	var all []string
	for _, text := range p.Texts() {
		all = append(all, text.Text)
	}
	return strings.Join(all, "\n")
}

// Each candidate that qualifies has its label with its rank; the page says what made it.
func TestPictureSaysWhatItShows(t *testing.T) {
	text := words(answer(t, workedQuestion(t), worked()).picture())
	for _, want := range []string{"2  sliding-window-log*", "1  leaky-bucket and 1 other", "tolerated", "limit",
		"100/1s", "edge, seed 1", "ratelab v1.0.0",
		"let through ÷ what the contract allows"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// The files lie side by side, and the data has every candidate.
func TestWritePicture(t *testing.T) {
	paths, err := WritePicture(t.TempDir(), full(t))
	if err != nil || len(paths) != 3 {
		t.Fatalf("%v, %v", paths, err)
	}
	if n := strings.Count(string(full(t).picture().Data), "\n"); n != 1+len(workedLabels) {
		t.Errorf("%d lines of data", n)
	}
}
