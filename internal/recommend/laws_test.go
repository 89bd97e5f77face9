package recommend

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ratelab/internal/scenario"
	"ratelab/internal/sheet"
)

// anyWorld is a world in which the candidates do anything.
func anyWorld(t *rapid.T) *stage {
	w := &stage{scenarios: map[string]map[string]figuresOf{}}
	for _, name := range []string{"edge", "calm"} {
		w.scenarios[name] = map[string]figuresOf{}
		for _, label := range workedLabels {
			w.scenarios[name][label] = figuresOf{peak: rapid.Int64Range(0, 250).Draw(t, "peak"),
				falseAdmits: rapid.Int64Range(0, 60).Draw(t, "admits"),
				falseRejects: rapid.Int64Range(0, 60).Draw(t,
					"rejects"), calls: float64(rapid.IntRange(1, 5).Draw(t, "calls"))}
		}
	}
	return w
}

func anyTolerance(t *rapid.T) Tolerance {
	tolerance := Tolerance{MaxOvershoot: float64(rapid.IntRange(100, 220).Draw(t, "overshoot")) / 100,
		MaxFalseRejects: float64(rapid.IntRange(0, 50).Draw(t, "rejects")) / 1000}
	optional := func(name string, most int, unit float64) *float64 {
		if !rapid.Bool().Draw(t, name+"?") {
			return nil
		}
		v := float64(rapid.IntRange(0, most).Draw(t, name)) / unit
		return &v
	}
	tolerance.MaxFalseAdmits, tolerance.MaxCalls, tolerance.MaxServerUS = optional("admits", 50,
		1000), optional("calls", 5, 1), optional("us", 30, 1)
	return tolerance
}

func lawQuestion(t *testing.T, rt *rapid.T, tolerance Tolerance) *Question {
	q := workedQuestion(t)
	q.Scenarios = []*scenario.Scenario{named("edge"), named("calm")}
	q.Tolerance, q.Prefer = tolerance, rapid.SampledFrom(Preferences()).Draw(rt, "prefer")
	q.Costs = &Costs{us: map[string]float64{"gcra": 10, "leaky-bucket": 12, "sliding-window-log": 20}}
	return q
}

// Everybody is either ranked or excluded, by figures that are as they say beyond the tolerance; the ranks have no gap;
// nobody who is ranked has a figure beyond it.
func TestEverybodyIsRankedOrExcluded(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tolerance := anyTolerance(rt)
		doc := answer(t, lawQuestion(t, rt, tolerance), anyWorld(rt))
		if len(doc.Candidates) != len(workedLabels) {
			rt.Fatalf("%d candidates of %d", len(doc.Candidates), len(workedLabels))
		}
		for i, c := range doc.Candidates {
			if c.Qualifies != (c.Rank == i+1) || c.Qualifies != (len(c.ExcludedBy) == 0) {
				rt.Fatalf("%s: rank %d at %d, excluded by %v", c.Algorithm, c.Rank, i, c.ExcludedBy)
			}
			if c.Qualifies && !keeps(&c, tolerance) {
				rt.Fatalf("%+v does not keep %+v", c, tolerance)
			}
			for _, x := range c.ExcludedBy {
				if x.Got != nil && *x.Got <= x.Most {
					rt.Fatalf("%s: %+v is no exclusion", c.Algorithm, x)
				}
			}
		}
		if (doc.Recommended != "") != doc.Candidates[0].Qualifies {
			rt.Fatalf("recommended %q, first %+v", doc.Recommended, doc.Candidates[0])
		}
	})
}

// keeps asks the figures again, without the code that judges.
func keeps(c *Candidate, t Tolerance) bool {
	for _, f := range c.Scenarios {
		n := float64(f.Offered)
		if float64(f.PeakWindowAdmitted)/100 > t.MaxOvershoot || float64(f.FalseRejects)/n > t.MaxFalseRejects ||
			t.MaxFalseAdmits != nil && float64(f.FalseAdmits)/n > *t.MaxFalseAdmits || t.MaxCalls != nil &&
			*f.RedisCalls > *t.MaxCalls {
			return false
		}
	}
	return t.MaxServerUS == nil || c.ServerUS != nil && *c.ServerUS <= *t.MaxServerUS
}

// To tolerate less never lets one more candidate in.
func TestTighteningNeverAddsACandidate(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w, a, b := anyWorld(rt), anyTolerance(rt), anyTolerance(rt)
		tighter := Tolerance{min(a.MaxOvershoot, b.MaxOvershoot), min(a.MaxFalseRejects, b.MaxFalseRejects),
			least(a.MaxFalseAdmits, b.MaxFalseAdmits), least(a.MaxCalls, b.MaxCalls), least(a.MaxServerUS,
				b.MaxServerUS)}
		q := lawQuestion(t, rt, a)
		loose := qualified(answer(t, q, w))
		q.Tolerance = tighter
		for _, label := range qualified(answer(t, q, w)) {
			if !slices.Contains(loose, label) {
				rt.Fatalf("%s keeps %+v and not %+v", label, tighter, a)
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

func qualified(d *Document) []string {
	var all []string
	for _, c := range d.Candidates {
		if c.Qualifies {
			all = append(all, c.Algorithm)
		}
	}
	return all
}

// What is said to be enough for a candidate is enough.
func TestRemediesHelp(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := anyWorld(rt)
		q := lawQuestion(t, rt, anyTolerance(rt))
		q.Server = "embedded"
		for _, c := range answer(t, q, w).Candidates {
			remedy := c.remedy()
			if c.Qualifies || remedy == "" || !c.Confirmed && q.Tolerance.MaxCalls != nil {
				continue
			}
			looser := *q
			looser.Tolerance = allowing(rt, q.Tolerance, remedy)
			if now := answer(t, &looser, w); !slices.Contains(qualified(now), c.Algorithm) {
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
