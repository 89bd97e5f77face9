package recommend

import (
	"slices"
	"testing"

	"ratelab/internal/result"
)

func lim(name string, lost, bytes, instructions float64) priced {
	return priced{pickable: true,
		Price: result.Price{Limiter: name, Lost: lost, BytesPerKey: bytes, Instructions: instructions}}
}

// usually is a candidate that loses so much on the standard set.
func usually(r priced, lost float64) priced {
	r.LostUsually = lost
	return r
}

// smaller is a row that goes by a smaller limit.
func smaller(r priced) priced {
	r.pickable = false
	return r
}

// The rule, worked by hand.
func TestTheRule(t *testing.T) {
	for name, c := range map[string]struct {
		all    []priced
		ofOne  bool
		want   []string
		nearly string
	}{
		"the cheapest within 2 points": {[]priced{lim("log", 0, 1000, 100), lim("sixty", 0.019, 500, 200),
			lim("ten", 0.021, 100, 100)}, false, []string{"log", "sixty", "ten"}, "ten"},
		"a tenth more is as cheap": {[]priced{lim("a", 0.01, 100, 100), lim("b", 0, 109, 100)}, false,
			[]string{"b"}, ""},
		"more than a tenth is not": {[]priced{lim("a", 0.01, 100, 100), lim("b", 0, 111, 100)}, false,
			[]string{"a"}, ""},
		"the standard set": {[]priced{usually(lim("a", 0, 10, 100), 0.15), lim("b", 0, 100, 100)}, false,
			[]string{"b", "a"}, ""},
		"a smaller limit is no pick": {[]priced{smaller(lim("a", 0, 10, 10)), lim("b", 0, 100, 100)}, false,
			[]string{"b", "a"}, ""},
		"25 points more than the least": {[]priced{lim("b", 0, 100, 100), smaller(lim("c", 0.25, 10, 10)),
			smaller(lim("d", 0.251, 1, 1))}, false, []string{"b", "c"}, ""},
		"a row that is no better than one kept": {[]priced{lim("a", 0, 100, 100), smaller(lim("b", 0.03, 50, 100)),
			smaller(lim("c", 0.04, 45, 100))}, false, []string{"a", "b"}, ""},
		"ties of work": {[]priced{lim("a", 0, 100, 100), smaller(lim("b", 0.03, 100, 90))}, false,
			[]string{"a"}, ""},
		"at most five": {[]priced{lim("a", 0, 640, 1), smaller(lim("b", 0.03, 320, 1)), smaller(lim("c", 0.04, 160, 1)),
			smaller(lim("d", 0.06, 80, 1)), smaller(lim("e", 0.08, 40, 1)), smaller(lim("f", 0.10, 20, 1))}, false,
			[]string{"a", "b", "c", "d", "e"}, ""},
		"nearly the pick, but no cheaper": {[]priced{lim("log", 0, 100, 100), lim("ten", 0.025, 40, 100)}, false,
			[]string{"log", "ten"}, ""},
		"one request per window": {[]priced{lim("gcra", 0, 72, 56), lim("fixed", 0.053, 72, 43)}, true,
			[]string{"fixed", "gcra"}, ""},
		"nobody": {nil, false, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			found := choose(c.all, c.ofOne)
			var got []string
			for _, r := range found.rows {
				got = append(got, r.Limiter)
			}
			nearly := ""
			if found.nearly != nil {
				nearly = found.nearly.Limiter
			}
			if !slices.Equal(got, c.want) || nearly != c.nearly {
				t.Errorf("%v, nearly %q; want %v, %q", got, nearly, c.want, c.nearly)
			}
		})
	}
}

// A candidate that decides as a row, and is no better, is named beside it.
func TestCandidatesThatDecideAlikeAreNamed(t *testing.T) {
	a, b, c := lim("a", 0, 100, 100), lim("b", 0, 115, 100), lim("c", 0, 120, 100)
	a.decided, b.decided, c.decided = "x", "x", "y"
	found := choose([]priced{c, b, a}, false)
	if len(found.rows) != 1 || len(found.alike) != 1 || found.alike[0].Limiter != "b" {
		t.Errorf("%v beside %v", found.alike, found.rows)
	}
}
