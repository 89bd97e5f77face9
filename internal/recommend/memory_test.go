package recommend

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/scenario"
	"ratelab/internal/traffic"
)

// The fullest moment is that of a list of what was admitted, counted anew at each request.
func TestFullestByAPlainLoop(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := &scenario.Scenario{Name: "any", Limit: limit.Policy{Requests: 6, Window: time.Second}, Seed: 7}
		s.Phases = []traffic.Phase{{Name: "all", Duration: 10 * time.Second,
			Keys: traffic.Uniform{Count: rapid.Int64Range(1, 4).Draw(rt, "keys")},
			Cost: traffic.FixedCost(rapid.Int64Range(1, 7).Draw(rt, "cost")),
			Arrivals: traffic.Poisson{Rate: traffic.Rate{Count: rapid.Int64Range(1, 12).Draw(rt, "rate"),
				Per: time.Second}}}}
		q := Question{Scenarios: []*scenario.Scenario{s}, Seeds: 1}
		got, err := q.trial(q.draws()).fullest(s)
		if err != nil {
			rt.Fatal(err)
		}
		var want *lineup.OneKey
		var admitted []limit.Request
		most := int64(0)
		for r, err := range s.Stream(s.Seed).Requests() {
			if err != nil {
				rt.Fatal(err)
			}
			held := int64(0)
			for _, a := range admitted {
				if a.Key == r.Key && a.AtUS > r.AtUS-1_000_000 {
					held += a.Cost
				}
			}
			if held+r.Cost <= 6 {
				admitted, held = append(admitted, r), held+r.Cost
			}
			if held >= most {
				most, want = held, &lineup.OneKey{Key: r.Key, UntilUS: r.AtUS}
			}
		}
		if (got == nil) != (want == nil) || got != nil && *got != *want {
			rt.Fatalf("%+v, want %+v", got, want)
		}
	})
}

// What a key takes at its fullest is all of its Redis keys together, and is held against the tolerance in both answers.
func TestMemoryIsHeldAgainstTheTolerance(t *testing.T) {
	w, q := worked(), workedQuestion(t)
	w.memory, q.Memory = true, true
	s := random("edge")
	q.Scenarios = []*scenario.Scenario{s}
	q.Seeds = 1
	most := 300.0
	q.Tolerance.MaxBytes = &most
	doc := answer(t, q, w)
	i := slices.IndexFunc(doc.Candidates, func(c Candidate) bool { return c.Algorithm == "sliding-window-log" })
	log := doc.Candidates[i]
	if log.BytesPerKey == nil || *log.BytesPerKey != 450 || log.qualifies() || log.promises() ||
		log.ExcludedBy[0].Words != "450 bytes a key, more than 300" || log.remedy() != "--max-bytes 450" {
		t.Errorf("%+v", log)
	}
	if got := doc.OnThisTraffic.Algorithms; !slices.Equal(got, []string{"leaky-bucket", "gcra"}) {
		t.Errorf("%v", said(doc))
	}
	q.Memory = false // as on a server of others of which nobody asks: what is left at the end is all that is known
	if doc := answer(t, q, w); len(w.calls) != 5 || *doc.Candidates[0].BytesPerKey != 100 {
		t.Errorf("asked %q", w.calls)
	}
}
