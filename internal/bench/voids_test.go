package bench

import (
	"testing"

	"ratelab/internal/benchresult"
)

// One stall in twenty pairs spoils its own, and so do five. More than a quarter spoil all.
func TestVoidPairsSpoilTheirOwn(t *testing.T) {
	for _, c := range []struct {
		void, good        int
		invalid, hopeless bool
	}{
		{0, 0, false, false}, {1, 20, false, false}, {5, 15, false, false}, {6, 15, true, false},
		{6, 20, false, false}, {7, 20, true, true}, {3, 1, true, false}, // of four planned, too
	} {
		v := voids{planned: 20}
		for range c.void {
			v.add("gcra pair 3", []benchresult.Reason{{Code: "stall", Where: control}})
		}
		all := v.invalid(c.good)
		if (all != nil) != c.invalid || v.hopeless() != c.hopeless {
			t.Errorf("%d void and %d good: %d reasons, hopeless %t; want invalid %t, hopeless %t", c.void, c.good,
				len(all), v.hopeless(), c.invalid, c.hopeless)
		}
		if c.invalid && (len(all) != c.void || all[0].Where != "gcra pair 3 none") {
			t.Errorf("%d void pairs have the reasons %+v", c.void, all)
		}
	}
}
