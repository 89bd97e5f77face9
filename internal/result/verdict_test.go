package result

import "testing"

// The reason that lasted longest is told, or the first, and how many more there are.
func TestTheFault(t *testing.T) {
	stall := Reason{Code: "stall", Where: "gcra, round 1",
		Statement: "the generator stood still for 14ms", LastedUS: 14_000}
	pool := Reason{Code: "pool", Where: "gcra, round 2", Statement: "1 request found no connection free"}
	for want, reasons := range map[string][]Reason{
		"": nil,
		"INVALID: the generator stood still for 14ms in gcra, round 1; do not use the times": {stall},
		"INVALID: the generator stood still for 14ms in gcra, round 1 (and 1 more); do not use the " +
			"times": {pool, stall},
		"INVALID: 1 request found no connection free in gcra, round 2 (and 1 more); do not use the " +
			"times": {pool, pool},
		"INVALID; do not use the times": {},
	} {
		m := Measurement{Validity: Validity{Valid: reasons == nil, Reasons: reasons}}
		if got := m.Fault(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
