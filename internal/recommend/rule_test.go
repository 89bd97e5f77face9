package recommend

import (
	"slices"
	"testing"

	"ratelab/internal/result"
)

func lim(name string, lost, bytes, instructions float64) priced {
	return priced{Price: result.Price{Limiter: name, Lost: lost, BytesPerKey: bytes, Instructions: instructions}}
}

// The rule, worked by hand.
func TestTheRule(t *testing.T) {
	for name, c := range map[string]struct {
		all  []priced
		want []string
	}{
		// What loses half stands no chance beside one that loses nothing, at whatever cost.
		"launch-spike": {[]priced{lim("gcra", 0.498, 100, 1000), lim("buckets", 0, 217, 2000)}, []string{"buckets"}},
		// 25 points more than the least is not too much yet; 25.1 is.
		"the border": {[]priced{lim("exact", 0.01, 1000, 100), lim("near", 0.26, 100, 100), lim("far", 0.262, 10, 100)},
			[]string{"exact", "near"}},
		// In one band of loss the bytes decide, and in the next nothing but a gain of more than a tie counts.
		"bands": {[]priced{lim("log", 0, 1000, 100), lim("small", 0.009, 100, 100), lim("tiny", 0.011, 70, 100)},
			[]string{"small", "tiny"}},
		// A fifth less bytes is a tie, more than a fifth is none.
		"ties of bytes": {[]priced{lim("a", 0, 100, 100), lim("b", 0.02, 80, 100), lim("c", 0.03, 79, 100)},
			[]string{"a", "c"}},
		"ties of work": {[]priced{lim("a", 0, 100, 100), lim("b", 0.02, 100, 90), lim("c", 0.03, 100, 89)},
			[]string{"a", "c"}},
		"ties of loss": {[]priced{lim("a", 0.0099, 100, 100), lim("b", 0, 200, 100)}, []string{"a"}},
		"more than a tie of loss": {[]priced{lim("a", 0.0101, 100, 100), lim("b", 0, 200, 100)},
			[]string{"b", "a"}},
		// It has to be better than every row that stays, not than one of them.
		"against every row": {[]priced{lim("a", 0, 100, 100), lim("b", 0.02, 50, 100), lim("c", 0.03, 60, 100)},
			[]string{"a", "b"}},
		"the name last": {[]priced{lim("b", 0, 100, 100), lim("a", 0, 100, 100)}, []string{"a"}},
		"at most five": {[]priced{lim("a", 0, 640, 1), lim("b", 0.02, 320, 1), lim("c", 0.04, 160, 1),
			lim("d", 0.06, 80, 1), lim("e", 0.08, 40, 1), lim("f", 0.10, 20, 1)}, []string{"a", "b", "c", "d", "e"}},
		// What loses a third of usual traffic is no answer to traffic on which it loses nothing. Beside what loses a
		// quarter of it stands what loses nothing there, but not what loses 5 points less.
		"a light log": {[]priced{
			{Price: result.Price{Limiter: "half", LostUsually: 0.35, BytesPerKey: 72, Instructions: 1}},
			{Price: result.Price{Limiter: "quarter", LostUsually: 0.26, BytesPerKey: 104, Instructions: 2}},
			{Price: result.Price{Limiter: "tie", LostUsually: 0.22, BytesPerKey: 105, Instructions: 2}},
			{Price: result.Price{Limiter: "log", BytesPerKey: 1552, Instructions: 2}}}, []string{"quarter", "log"}},
		"nobody": {nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			rows, _ := choose(c.all)
			var got []string
			for _, r := range rows {
				got = append(got, r.Limiter)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

// Who decides as a row that stays, and is no better, is named beside it.
func TestWhoDecidesAlike(t *testing.T) {
	a, b, c := lim("a", 0, 100, 100), lim("b", 0, 110, 100), lim("c", 0, 120, 100)
	a.decided, b.decided, c.decided = "x", "x", "y"
	if rows, alike := choose([]priced{c, b, a}); len(rows) != 1 || len(alike) != 1 || alike[0].Limiter != "b" {
		t.Errorf("%v beside %v", alike, rows)
	}
}
