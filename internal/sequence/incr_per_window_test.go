package sequence_test

import (
	"strings"
	"testing"
)

// Each second has a counter of its own, named after it by the client's clock; without a ttl they stay for ever.
func TestACounterForEachSecondByHand(t *testing.T) {
	for label, left := range map[string][2]int64{ // keys at 3.5 s, and of them without a deadline
		"incr-per-window":        {3, 3},
		"incr-per-window:ttl=2s": {2, 0}, // that of the second 0 ended at 2.001 s
	} {
		s := newStage(t, label, 1)
		var got []string
		for _, ms := range []int64{0, 999, 1700, 2000} {
			c := s.beginning(ms, 1)
			got = append(got, c.at(ms))
			if !c.move.Done {
				c.at(ms + 1)
			}
			got = append(got, c.ends())
			if ms == 999 && c.move.Decision.RetryAfterUS != 1000 {
				t.Errorf("%s: at 999 ms it waits for %d µs, want 1000", label, c.move.Decision.RetryAfterUS)
			}
		}
		expect(t, got, []string{"1", "admitted", "2", "rejected", "1", "admitted",
			"1", "admitted"})
		if key := s.play.Calls()[0].Command.Key; !strings.HasSuffix(key, ":{k}:1704067200") {
			t.Errorf("%s: the counter's key is %s, want one that ends in midnight's second", label, key)
		}
		if keys, forEver := s.play.Left(3_500_000); [2]int64{keys, forEver} != left {
			t.Errorf("%s: %d keys are left, %d without a deadline; want %v", label, keys, forEver, left)
		}
		if f := s.play.Figures(); f.RaceAdmits+f.RaceRejects != 0 {
			t.Errorf("%s: one command decides, and yet the figures are %+v", label, f)
		}
	}
}
