package recommend

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ratelab/internal/scenario"
	"ratelab/internal/sheet"
)

// lawSeeds is how many seeds the laws play.
const lawSeeds = 20

// anyWorld is a world in which the candidates do anything in one scenario that is always the same, and in one that
// every seed makes anew: most of them keep to a tolerance there with most seeds.
func anyWorld(t *rapid.T) *stage {
	w := &stage{memory: true, scenarios: map[string]map[string]figuresOf{},
		seeded: map[string]map[string][]figuresOf{"drawn": {}}}
	w.scenarios["edge"], w.scenarios["drawn"] = map[string]figuresOf{}, map[string]figuresOf{}
	for i, label := range workedLabels {
		usual := anyFigures(t)
		if i > 0 && rapid.IntRange(0, 2).Draw(t, "alike") == 0 { // what it takes is its own
			like := rapid.SampledFrom(workedLabels[:i]).Draw(t, "as")
			calls := usual.calls
			usual = w.scenarios["edge"][like]
			usual.calls = calls
			w.scenarios["edge"][label] = usual
			for _, f := range w.seeded["drawn"][like] {
				f.calls = calls
				w.seeded["drawn"][label] = append(w.seeded["drawn"][label], f)
			}
			continue
		}
		w.scenarios["edge"][label] = usual
		var all []figuresOf
		for range lawSeeds {
			f := usual
			if rapid.IntRange(0, 12).Draw(t, "unusual") == 0 {
				f = anyFigures(t)
				f.calls = usual.calls
			}
			all = append(all, f)
		}
		w.seeded["drawn"][label] = all
	}
	return w
}

func anyFigures(t *rapid.T) figuresOf {
	f := figuresOf{peak: rapid.Int64Range(0, 250).Draw(t, "peak"), excess: rapid.Int64Range(0, 60).Draw(t, "excess"),
		shortfall: rapid.Int64Range(0, 60).Draw(t, "shortfall"), calls: float64(rapid.IntRange(1, 5).Draw(t, "calls"))}
	if rapid.IntRange(0, 4).Draw(t, "shaper") == 0 {
		f.delay = rapid.Int64Range(1, 2000).Draw(t, "delay") * 1000
	}
	return f
}

func anyTolerance(t *rapid.T) Tolerance {
	tolerance := Tolerance{MaxOvershoot: float64(rapid.IntRange(100, 260).Draw(t, "overshoot")) / 100,
		MaxShortfall: float64(rapid.IntRange(0, 70).Draw(t, "rejects")) / 1000,
		MaxExcess:    float64(rapid.IntRange(0, 70).Draw(t, "admits")) / 1000}
	if rapid.Bool().Draw(t, "delay?") {
		tolerance.MaxDelayUS = rapid.Int64Range(0, 2000).Draw(t, "delay") * 1000
	}
	optional := func(name string, most int) *float64 {
		if !rapid.Bool().Draw(t, name+"?") {
			return nil
		}
		v := float64(rapid.IntRange(0, most).Draw(t, name))
		return &v
	}
	tolerance.MaxCalls, tolerance.MaxServerUS = optional("calls", 5), optional("us", 30)
	tolerance.MaxBytes = optional("bytes", 500)
	return tolerance
}

func lawQuestion(t *testing.T, rt *rapid.T, tolerance Tolerance) *Question {
	q := workedQuestion(t)
	q.Memory = true
	q.Scenarios, q.Seeds, q.Search = []*scenario.Scenario{named("edge"), random("drawn")}, lawSeeds, 0
	q.Tolerance, q.Prefer = tolerance, rapid.SampledFrom(Preferences()).Draw(rt, "prefer")
	q.Costs = &Costs{us: map[string]float64{"gcra": 10, "leaky-bucket": 12, "sliding-window-log": 20}}
	return q
}

// Everybody is in the answers by the definitions in words, and nobody else; the ranks of each answer have no gap; who
// is in none has figures that are as they say beyond the tolerance.
func TestEverybodyIsRankedOrExcluded(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tolerance := anyTolerance(rt)
		w := anyWorld(rt)
		doc := answer(t, lawQuestion(t, rt, tolerance), w)
		if len(doc.Candidates) != len(workedLabels) {
			rt.Fatalf("%d candidates of %d", len(doc.Candidates), len(workedLabels))
		}
		var here, anywhere []int
		for i, c := range doc.Candidates {
			cheap := affordable(w, &c, tolerance)
			if keeps := keptByDefinition(w, c.Algorithm, tolerance) && cheap; keeps != (c.RankOnThisTraffic > 0) ||
				keeps != (len(c.ExcludedBy) == 0) ||
				keeps != slices.Contains(doc.OnThisTraffic.Algorithms, c.Algorithm) {
				rt.Fatalf("%s keeps %+v: %t, and it is %+v", c.Algorithm, tolerance, keeps, c)
			}
			promises := promisedByDefinition(c.Algorithm, tolerance) && cheap
			if promises != (c.RankOnAnyTraffic > 0) || promises != (len(c.Unpromised) == 0) ||
				promises != slices.Contains(doc.OnAnyTraffic.Algorithms, c.Algorithm) {
				rt.Fatalf("%s promises %+v: %t, and it is %+v", c.Algorithm, tolerance, promises, c)
			}
			if c.RankOnThisTraffic > 0 {
				here = append(here, c.RankOnThisTraffic-1)
			}
			if c.RankOnAnyTraffic > 0 {
				anywhere = append(anywhere, c.RankOnAnyTraffic-1)
			}
			if c.RankOnThisTraffic > 0 && doc.OnThisTraffic.Algorithms[i] != c.Algorithm {
				rt.Fatalf("%s: rank %d at %d", c.Algorithm, c.RankOnThisTraffic, i)
			}
			for _, x := range slices.Concat(c.ExcludedBy, c.Unpromised) {
				if x.Got != nil && *x.Got <= x.Most {
					rt.Fatalf("%s: %+v is no exclusion", c.Algorithm, x)
				}
			}
		}
		for _, ranks := range [][]int{here, anywhere} {
			slices.Sort(ranks)
			for i, r := range slices.Compact(ranks) {
				if r != i {
					rt.Fatalf("ranks %v", ranks)
				}
			}
		}
	})
}

// Who decides alike is one candidate on this traffic: of one rank, whoever decides otherwise of another, side by side
// in the answer and the cheapest first.
func TestWhoDecidesAlikeIsOneCandidate(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := anyWorld(rt)
		doc := answer(t, lawQuestion(t, rt, anyTolerance(rt)), w)
		var before string
		for _, label := range doc.OnThisTraffic.Algorithms {
			if before == "" {
				before = label
				continue
			}
			alike := asIfFree(w, before) == asIfFree(w, label)
			if a, b := rankOf(doc, before), rankOf(doc, label); alike != (a == b) || !alike && b != a+1 {
				rt.Fatalf("%s has rank %d and %s %d; alike: %t", before, a, label, b, alike)
			}
			if a, b := w.scenarios["edge"][before].calls, w.scenarios["edge"][label].calls; alike && a > b {
				rt.Fatalf("%s takes %v commands and comes before %s, which takes %v", before, a, label, b)
			}
			before = label
		}
	})
}

// asIfFree is what a candidate of the world does, whatever it takes.
func asIfFree(w *stage, label string) string {
	text := ""
	for _, f := range append([]figuresOf{w.scenarios["edge"][label]}, w.seeded["drawn"][label]...) {
		f.calls = 0
		text += fmt.Sprintln(f)
	}
	return text
}

func rankOf(d *Document, label string) int {
	i := slices.IndexFunc(d.Candidates, func(c Candidate) bool { return c.Algorithm == label })
	return d.Candidates[i].RankOnThisTraffic
}

// keptByDefinition asks the world's figures, without the code that judges: is everything within the tolerance, in the
// scenario that is always the same and with 19 of the 20 seeds of the other?
func keptByDefinition(w *stage, label string, t Tolerance) bool {
	within := func(f figuresOf) bool {
		return float64(f.peak)/100 <= t.MaxOvershoot && float64(f.shortfall)/1000 <= t.MaxShortfall &&
			float64(f.excess)/1000 <= t.MaxExcess && f.delay <= t.MaxDelayUS
	}
	kept := 0
	for _, f := range w.seeded["drawn"][label] {
		if within(f) {
			kept++
		}
	}
	return within(w.scenarios["edge"][label]) && kept >= 19
}

// promisedByDefinition is what the six promise by their bounds in words, of 100 in a second in whole microseconds: L in
// a window; L and nearly as much again of the counter; B and 99 of a bucket; of a shaper B less one wait 10 ms each.
func promisedByDefinition(label string, t Tolerance) bool {
	most := map[string]float64{"sliding-window-log": 1, "sliding-window-buckets": 1, "sliding-window-counter": 1.99,
		"gcra": 1.99, "gcra:burst=10": 1.09, "leaky-bucket": 1.99}[label]
	return most <= t.MaxOvershoot && (label != "leaky-bucket" || t.MaxDelayUS >= 990_000)
}

// affordable asks the costs: those that were counted, and those that were measured.
func affordable(w *stage, c *Candidate, t Tolerance) bool {
	us := map[string]float64{"gcra": 10, "gcra:burst=10": 10, "leaky-bucket": 12, "sliding-window-log": 20}
	if v, known := us[c.Algorithm]; t.MaxServerUS != nil && (!known || v > *t.MaxServerUS) {
		return false
	}
	calls := max(w.scenarios["edge"][c.Algorithm].calls, w.seeded["drawn"][c.Algorithm][0].calls)
	// nothing but a log that is played can be at its fullest: the scenario that is always the same has no requests
	bytes := max(50*w.scenarios["edge"][c.Algorithm].calls, 100*w.seeded["drawn"][c.Algorithm][0].calls)
	return (t.MaxCalls == nil || !c.Confirmed || calls <= *t.MaxCalls) &&
		(t.MaxBytes == nil || !c.Confirmed || bytes <= *t.MaxBytes)
}

// To tolerate less never lets one more candidate in, in either answer.
func TestTighteningNeverAddsACandidate(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w, a, b := anyWorld(rt), anyTolerance(rt), anyTolerance(rt)
		tighter := Tolerance{MaxOvershoot: min(a.MaxOvershoot, b.MaxOvershoot),
			MaxExcess:    min(a.MaxExcess, b.MaxExcess),
			MaxShortfall: min(a.MaxShortfall, b.MaxShortfall), MaxDelayUS: min(a.MaxDelayUS, b.MaxDelayUS),
			MaxBytes: least(a.MaxBytes, b.MaxBytes),
			MaxCalls: least(a.MaxCalls, b.MaxCalls), MaxServerUS: least(a.MaxServerUS, b.MaxServerUS)}
		q := lawQuestion(t, rt, a)
		loose := answer(t, q, w)
		q.Tolerance = tighter
		tight := answer(t, q, w)
		for _, answers := range [][2]Answer{{tight.OnThisTraffic, loose.OnThisTraffic},
			{tight.OnAnyTraffic, loose.OnAnyTraffic}} {
			for _, label := range answers[0].Algorithms {
				if !slices.Contains(answers[1].Algorithms, label) {
					rt.Fatalf("%s keeps %+v and not %+v", label, tighter, a)
				}
			}
		}
	})
}

func least(a, b *float64) *float64 {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	v := min(*a, *b)
	return &v
}

// What is said to be enough for a candidate is enough.
func TestRemediesHelp(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := anyWorld(rt)
		q := lawQuestion(t, rt, anyTolerance(rt))
		q.Server = "embedded"
		for _, c := range answer(t, q, w).Candidates {
			remedy := c.remedy()
			if c.qualifies() || remedy == "" || !c.Confirmed &&
				(q.Tolerance.MaxCalls != nil || q.Tolerance.MaxBytes != nil) {
				continue
			}
			looser := *q
			looser.Tolerance = allowing(rt, q.Tolerance, remedy)
			if now := answer(t, &looser, w); !slices.Contains(now.OnThisTraffic.Algorithms, c.Algorithm) {
				rt.Fatalf("%s does not qualify with %s: %v", c.Algorithm, remedy, said(now))
			}
		}
	})
}

// Twice the same question gives the same bytes.
func TestAnswersRepeat(t *testing.T) {
	write := func() string {
		var out strings.Builder
		doc := answer(t, workedQuestion(t), worked())
		for _, format := range Forms.Names() {
			if err := Forms.Write(&out, format, doc, sheet.Terminal{}); err != nil {
				t.Fatal(err)
			}
		}
		return out.String()
	}
	if first, second := write(), write(); first != second {
		t.Error("two answers differ")
	}
}
