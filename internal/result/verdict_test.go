package result

import (
	"slices"
	"testing"
)

// lasting is a reason that has a length.
func lasting(code, where, statement string, us int64) Reason {
	return Reason{Code: code, Where: where, Statement: statement, LastedUS: &us}
}

// A hundred stalls are one line, with the worst of them, so that a single lost reply beside them is seen. Those of a
// file that does not tell how long they lasted are told by the first.
func TestReasonsAreSummedUpByKind(t *testing.T) {
	drops := Reason{Code: "drops", Where: "gcra round 2", Statement: "1 request was dropped"}
	for _, c := range []struct {
		reasons []Reason
		want    []string
	}{
		{[]Reason{
			lasting("stall", "gcra round 1", "the generator stood still for 14ms", 14_000), drops,
			lasting("stall", "gcra round 3", "the generator stood still for 90ms", 90_000),
			lasting("stall", "gcra round 4", "the generator stood still for 20ms", 20_000),
		}, []string{"stall (3 times, worst) in gcra round 3: the generator stood still for 90ms", "drops in gcra " +
			"round 2: 1 request was dropped"}},
		{[]Reason{
			{Code: "stall", Where: "gcra round 1", Statement: "the generator stood still for 14ms"},
			{Code: "stall", Where: "gcra round 3", Statement: "the generator stood still for 90ms"}, drops,
		}, []string{"stall (2 times, first) in gcra round 1: the generator stood still for 14ms", "drops in gcra " +
			"round 2: 1 request was dropped"}},
	} {
		if got := (Validity{Reasons: c.reasons}).Summary(); !slices.Equal(got, c.want) {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// Whose fault it was is told by the reasons.
func TestTheCulprit(t *testing.T) {
	stall, silence := Reason{Code: "stall"}, Reason{Code: "silence"}
	for want, reasons := range map[string][]Reason{
		"the machine": {{Code: "noise"}}, "the measurement": {{Code: "control"}}, "the generator": {stall},
		"the server": {silence, silence}, "the generator or the server": {silence, stall},
	} {
		if got := Culprit(reasons); got != want {
			t.Errorf("%v: %s, want %s", reasons, got, want)
		}
	}
}
