package scenario_test

import (
	"testing"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/scenario"
)

// The standard set is twelve traffics in units of the limit, in order, and within its twenty windows.
func TestTheStandardSet(t *testing.T) {
	p := limit.Policy{Requests: 10, Window: time.Second}
	counts := map[string]int{}
	for _, tr := range scenario.Standard(p) {
		lastUS := int64(0)
		for q := range tr.Stream(tr.Seed).Requests() {
			if q.AtUS < lastUS || q.AtUS >= 20*p.WindowUS() {
				t.Fatalf("%s: %d after %d", tr.Name, q.AtUS, lastUS)
			}
			lastUS = q.AtUS
			counts[tr.Name]++
		}
	}
	for name, want := range map[string]int{"steady at half of the limit": 100,
		"steady at nine tenths of the limit":    180,
		"steady at one and a half of the limit": 300, "half of the limit at once, every window": 100,
		"the limit at once, every second window": 100, "the limit on both sides of an edge": 140,
		"a window at twice the limit, one of nothing": 200, "a ramp to twice the limit": 200,
		"ten times the limit": 2000, "a hundred keys, twenty limits together": 4000} {
		if counts[name] != want {
			t.Errorf("%s: %d requests, want %d", name, counts[name], want)
		}
	}
	if len(counts) != 12 {
		t.Errorf("%d traffics", len(counts))
	}
}
