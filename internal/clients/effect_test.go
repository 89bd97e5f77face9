package clients

import (
	"testing"

	"ratelab/internal/limit"
	"ratelab/internal/measure"
)

func TestCompareClocks(t *testing.T) {
	journal := func(verdicts string) Journal {
		var j Journal
		for i, v := range verdicts {
			j.Requests = append(j.Requests, limit.Request{AtUS: int64(i) * 1000, Key: "a", Cost: 1})
			d := limit.Decision{}
			if v == '+' {
				d.Verdict = limit.Allowed
			}
			j.Decisions = append(j.Decisions, d)
		}
		return j
	}
	p := limit.Policy{Requests: 5, Window: 4_000_000}
	clock := ServerClock{{AtUS: 2000, ByUS: 1}}
	for _, c := range []struct {
		off, right string
		want       measure.ClockEffect
	}{
		{"+-+-+-", "+-+-+-", measure.ClockEffect{PeakWithRightClocks: 2}},
		{"++++--", "+-+-+-", measure.ClockEffect{ExtraAdmitted: 2, MissingAdmitted: 1, PeakWithRightClocks: 2,
			RecoveryUS: 3000}},
		{"+-----", "+-++++", measure.ClockEffect{MissingAdmitted: 4, PeakWithRightClocks: 4, LockoutUS: 5000,
			RecoveryUS: 3000}},
		{"------", "++----", measure.ClockEffect{MissingAdmitted: 2, PeakWithRightClocks: 2, LockoutUS: 5000,
			RecoveryUS: 2000}},
		{"+----+", "+-+--+", measure.ClockEffect{MissingAdmitted: 1, PeakWithRightClocks: 2, LockoutUS: 5000,
			RecoveryUS: 2000}},
		// the wait is not longer than with correct clocks
		{"+--+-+", "++--++", measure.ClockEffect{ExtraAdmitted: 0, MissingAdmitted: 1, PeakWithRightClocks: 2,
			RecoveryUS: 3000}},
		// the runs have different requests
		{"+----", "+-++--", measure.ClockEffect{MissingAdmitted: 2, PeakWithRightClocks: 3, LockoutUS: 5000,
			RecoveryUS: 2000}},
	} {
		if got := *CompareClocks(journal(c.off), journal(c.right), p, clock, 5000); got != c.want {
			t.Errorf("%s against %s: %+v, want %+v", c.off, c.right, got, c.want)
		}
	}
}
