package recommend

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/scenario"
	"ratelab/internal/traffic"
)

// What is told apart is what a plain loop finds: each model decides all requests by itself, and of each request every
// two of them are compared.
func TestToldApartByAPlainLoop(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := &scenario.Scenario{Name: "any", Limit: limit.Policy{Requests: 5, Window: time.Second}, Seed: 7}
		s.Phases = []traffic.Phase{{Name: "all", Duration: 20 * time.Second,
			Keys: traffic.Uniform{Count: rapid.Int64Range(1, 4).Draw(rt, "keys")}, Cost: traffic.FixedCost(1),
			Arrivals: traffic.Poisson{Rate: traffic.Rate{Count: rapid.Int64Range(1, 20).Draw(rt, "rate"),
				Per: time.Second}}}}
		labels := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"gcra", "token-bucket", "leaky-bucket",
			"fixed-window", "sliding-window-log", "gcra:burst=2", "fixed-window:nodes=2", "none"}), 2, 5,
			rapid.ID).Draw(rt, "who")
		q := Question{Scenarios: []*scenario.Scenario{s}, Choices: choices(t, labels...), Seeds: 1}
		got, err := q.trial(q.draws()).toldApart(s, distinct(labels))
		if err != nil || got == nil {
			rt.Fatalf("%v, %v", got, err)
		}
		if want := apartByPairs(t, s, labels); *got != want {
			rt.Fatalf("%v: %d requests, want %d", labels, *got, want)
		}
	})
}

// distinct are candidates of which nobody says that they decide alike.
func distinct(labels []string) []*Candidate {
	var all []*Candidate
	for _, label := range labels {
		all = append(all, &Candidate{Algorithm: label,
			Scenarios: []Figures{{Scenario: "any", Runs: []Played{{DecisionsDigest: label}}}}})
	}
	return all
}

func apartByPairs(t *testing.T, s *scenario.Scenario, labels []string) int64 {
	var verdicts [][]bool
	for _, label := range labels {
		choice, err := algorithms.Parse(label)
		if err != nil {
			t.Fatal(err)
		}
		in, err := choice.Seeded(s.Seed).Instance(s.Limit)
		if err != nil {
			t.Fatal(err)
		}
		model, own := in.NewModel(), []bool{}
		for r, err := range s.Stream(s.Seed).Requests() {
			if err != nil {
				t.Fatal(err)
			}
			own = append(own, model.Decide(s.Start.UnixMicro()+r.AtUS, r.Key, r.Cost).Verdict == limit.Allowed)
		}
		verdicts = append(verdicts, own)
	}
	different := map[int]bool{}
	for _, a := range verdicts {
		for _, b := range verdicts {
			for i := range a {
				if a[i] != b[i] {
					different[i] = true
				}
			}
		}
	}
	return int64(len(different))
}

// A scenario whose clients react, a script without a model and a single candidate have no such figure; those that
// decide alike have it without a look at the traffic.
func TestWhoCannotBeToldApart(t *testing.T) {
	q := workedQuestion(t)
	trial, s := q.trial(q.draws()), q.Scenarios[0]
	two := distinct([]string{"gcra", "mine"})
	two[0].Scenarios[0].Scenario, two[1].Scenarios[0].Scenario = "edge", "edge"
	for name, here := range map[string][]*Candidate{"a script": two, "one": two[:1], "nobody": nil} {
		if n, err := trial.toldApart(s, here); n != nil || err != nil {
			t.Errorf("%s: %v, %v", name, n, err)
		}
	}
	two[1].Scenarios = two[0].Scenarios
	if n, err := trial.toldApart(s, two); err != nil || n == nil || *n != 0 {
		t.Errorf("alike: %v, %v", n, err)
	}
}

// It is said where fewer than one request in a hundred tells them apart.
func TestFewRequestsAreSaid(t *testing.T) {
	for apart, want := range map[int64]string{
		0:  "no request of x tells them apart: all 3 that keep the tolerance decide the 1000 alike",
		1:  "1 of the 1000 requests of x tells them apart: the 3 that keep the tolerance decide all others alike",
		9:  "9 of the 1000 requests of x tell them apart: the 3 that keep the tolerance decide all others alike",
		10: "",
	} {
		if got := (&Traffic{Scenario: "x", Seeds: 1, Offered: 1000, ToldApart: &apart}).apartInWords(3); got != want {
			t.Errorf("%d: %q", apart, got)
		}
	}
	if got := (&Traffic{Scenario: "x", Offered: 1000}).apartInWords(3); got != "" {
		t.Errorf("nobody counted: %q", got)
	}
	n := int64(2)
	seeds := Traffic{Scenario: "x", Seed: 4, Seeds: 20, Offered: 1000, ToldApart: &n}
	if got := seeds.apartInWords(3); !strings.Contains(got, "of x with seed 4 tell") {
		t.Errorf("of several seeds: %q", got)
	}
}
