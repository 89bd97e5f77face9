package compare

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// By hand: of ten values none lies below the median in one case of 1,024, at most one in 11.
func TestRankByHand(t *testing.T) {
	for _, c := range []struct {
		n     int
		alpha float64
		want  int
	}{
		{10, 0.9 / 1024, 0}, {10, 1.0 / 1024, 1}, {10, 10.9 / 1024, 1}, {10, 11.0 / 1024, 2}, {0, 0.01, 0},
		{1000, 1e-6, 425}, // by exact integers elsewhere
	} {
		if got := rank(c.n, c.alpha); got != c.want {
			t.Errorf("of %d values at %v: %d, want %d", c.n, c.alpha, got, c.want)
		}
	}
}

// The rank is that of the binomial distribution, written down the slow way.
func TestRankIsThatOfTheBinomial(t *testing.T) {
	choose := func(n, k int) float64 {
		all := 1.0
		for i := range k {
			all *= float64(n-i) / float64(i+1)
		}
		return all
	}
	rapid.Check(t, func(t *rapid.T) {
		n, alpha := rapid.IntRange(1, 60).Draw(t, "n"), rapid.Float64Range(1e-7, 0.2).Draw(t, "alpha")
		fewer := func(k int) (p float64) {
			for i := range k {
				p += choose(n, i) * math.Exp2(-float64(n))
			}
			return p
		}
		if k := rank(n, alpha); fewer(k) > alpha*(1+1e-9) || fewer(k+1) < alpha*(1-1e-9) {
			t.Fatalf("rank %d: %v and %v around %v", k, fewer(k), fewer(k+1), alpha)
		}
	})
}

// What the looks, rows and metrics spend adds up to Alpha, and no more.
func TestTheLooksShareAlpha(t *testing.T) {
	for at, want := range map[int]int{0: 1, 1: 1, 16: 1, 17: 2, 24: 2, 30: 3, 40: 3, 64: 4, 1000: 10} {
		if got := lookAt(at); got != want {
			t.Errorf("at %d pairs it is look %d, want %d", at, got, want)
		}
	}
	for _, rows := range []int{1, 7} {
		spent := 0.0
		for look := 1; look <= 10_000; look++ {
			spent += float64(rows*len(judged)) * alphaAt(look, rows)
		}
		if spent > Alpha || spent < 0.999*Alpha {
			t.Errorf("%d rows spend %v of %v", rows, spent, Alpha)
		}
	}
}

// By hand: an interval of ±0.2 around 1 must become one of ±ln 1.10, a factor of 2.1 and so 4.4 times the pairs: 71
// are about 104, at which it is looked.
func TestMorePairsByHand(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		e           estimate
		pairs, want int
	}{
		{estimate{-0.2, 0, 0.2}, 16, 104 - 16},
		{estimate{-0.1, 0, 0.1}, 16, 24 - 16},
		{estimate{-inf, 0, inf}, 4, 16 - 4},
		{estimate{-inf, 0, inf}, 16, 24 - 16}, // eight rows: the first look may have no bounds yet
		{estimate{0, 0.3, 0.6}, 24, 40 - 24},  // 0.3/(0.3 - ln 1.05) is 1.19: 34.2 are enough, and 40 the next look
	} {
		if got := c.e.more(c.pairs); got != c.want {
			t.Errorf("%v after %d pairs: %d more, want %d", c.e, c.pairs, got, c.want)
		}
	}
}

// Instructions that were counted make timings that nobody can judge a remark, and nothing else.
func TestTimingsAreASecondOpinion(t *testing.T) {
	for _, c := range []struct {
		name         string
		instructions Outcome
		slowdown     float64
		pairs        int
		want         Outcome
		notes        int
	}{
		{"counted, and few pairs", Same, 1, 8, OK, 2},
		{"counted to be less, and few pairs", Improvement, 1, 8, OK, 2},
		{"counted to be more", Regression, 1, 8, Regression, 2},
		{"not to be counted", Inconclusive, 1, 8, Inconclusive, 0},
		{"not counted", Noted, 1, 8, Inconclusive, 0},
		{"counted, and slower all the same", Same, 1.3, 16, Regression, 0},
		{"counted, and enough pairs", Same, 1, 16, OK, 0},
	} {
		p := withCounts(still(c.slowdown))
		p.Rows[0].Pairs = p.Rows[0].Pairs[:c.pairs]
		r := Paired(p)
		r.Notes = []string{}
		r.Gates = append(r.Gates, Gate{Name: GateInstructions, Outcome: c.instructions, Rows: []Judgement{{
			Algorithm: "gcra", Where: "accepted", Measure: "instructions", Outcome: c.instructions,
			Statement: "by hand",
		}}})
		r.conclude()
		if r.Verdict.Outcome != c.want || len(r.Notes) != c.notes ||
			c.notes > 0 && len(r.Verdict.Remedies) > 0 {
			t.Errorf("%s: %+v with the notes %q; want %s and %d notes", c.name, r.Verdict, r.Notes, c.want, c.notes)
		}
		for _, form := range []string{"table", "markdown"} {
			out := written(t, r, form)
			if c.notes > 0 && (strings.Contains(out, "not judged: after") ||
				!strings.Contains(strings.Join(strings.Fields(out), " "), "server-cost gives no second opinion")) {
				t.Errorf("%s, as %s:\n%s", c.name, form, out)
			}
		}
	}
}
