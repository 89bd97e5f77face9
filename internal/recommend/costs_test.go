package recommend

import (
	"testing"

	"ratelab/internal/benchresult"
	"ratelab/internal/benchresult/benchresulttest"
)

func TestCostsOf(t *testing.T) {
	us := func(v float64) *float64 { return &v }
	r := &benchresult.Document{}
	r.Costs = []benchresult.Cost{{Identity: benchresult.Identity{Algorithm: "gcra"}, Mixes: []benchresult.Mix{
		{Mix: benchresult.MixAccepted, ServerUSPerCall: us(9)}, {Mix: benchresult.MixHalf, ServerUSPerCall: us(8)}}}}
	c := CostsOf(r)
	for label, want := range map[string]float64{"gcra": 8, "gcra:burst=10": 8, "gcra:burst=L/10": 8} {
		if got, measured := c.of(label); got == nil || *got != want || (label != "gcra") != (measured == "gcra") {
			t.Errorf("%s: %v of %q, want %v", label, got, measured, want)
		}
	}
	for _, label := range []string{"leaky-bucket", "gcra:granularity=1ms:time=client"} { // whose calls are others
		if got, _ := c.of(label); got != nil {
			t.Errorf("%s: %v, and it was not measured", label, *got)
		}
	}
}

// A result as bench writes it has costs, and says where they come from.
func TestCostsOfAResult(t *testing.T) {
	r := benchresulttest.Example()
	c := CostsOf(r)
	if c.Empty() || c.Source.Server == "" || c.Source.Traffic == "" {
		t.Errorf("%+v", c)
	}
	r.Costs = nil
	if c := CostsOf(r); c.Empty() || c.Source.Traffic != "open loop, scenario "+r.Runs[0].Scenario {
		t.Errorf("without a closed loop: %+v", c)
	}
}
