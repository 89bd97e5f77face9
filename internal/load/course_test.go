package load

import (
	"slices"
	"testing"
	"time"

	"ratelab/internal/limit"
)

// A reply that comes long after the part's end leaves the buckets as they are: all lists of a course have the same.
func TestALateReplyLeavesTheBuckets(t *testing.T) {
	const length = 100 * time.Millisecond
	traffic := &listing{costly(0, 1, 50_100, 1, 99_900, 1), length.Microseconds()}
	part, err := NewPart(traffic, Wish{})
	if err != nil {
		t.Fatal(err)
	}
	allowed := limit.Decision{Verdict: limit.Allowed}
	for _, late := range []time.Duration{0, 40 * time.Millisecond} {
		p := playedAs(part, allowed, []time.Duration{0, 50_110 * time.Microsecond, 99_900*time.Microsecond + late},
			90*time.Microsecond)
		c, err := p.Course(t.Context(), limit.Policy{Requests: 10, Window: time.Second, Burst: 10})
		if err != nil {
			t.Fatal(err)
		}
		if c.BucketUS != 200 || len(c.Offered) != 500 || len(c.Admitted) != 500 || len(c.Rolling) != 500 {
			t.Fatalf("late by %v: buckets of %d us: %d, %d and %d; want 500 of 200 us each", late, c.BucketUS,
				len(c.Offered), len(c.Admitted), len(c.Rolling))
		}
		if c.Rolling[249] != 1 || c.Rolling[250] != 2 || slices.Max(c.Admitted) != 1 || c.Admitted[499] != 1 {
			t.Errorf("late by %v: the window holds %d and then %d", late, c.Rolling[249], c.Rolling[250])
		}
	}
}

// playedAs is a play of a part whose calls were written at these instants, and each answered so much later.
func playedAs(part *Part, d limit.Decision, written []time.Duration, took time.Duration) *Played {
	var calls []*call
	for i, q := range part.Requests {
		o := Outcome{Decision: d, Written: written[i], Replied: written[i] + took}
		calls = append(calls, &call{req: q, due: us(q.AtUS), fate: answered, Outcome: o})
	}
	return &Played{OpenResult: &OpenResult{calls: calls}, part: part}
}

// Whoever was decided otherwise counts, once each. Whoever was not sent does not.
func TestDiffering(t *testing.T) {
	var calls []*call
	for _, v := range []limit.Verdict{limit.Allowed, limit.Rejected, limit.Allowed, limit.Rejected, limit.Rejected} {
		calls = append(calls, &call{fate: answered, Outcome: Outcome{Decision: limit.Decision{Verdict: v}}})
	}
	calls[3].fate = unsent
	p := &Played{OpenResult: &OpenResult{calls: calls}}
	virtual := []limit.Verdict{limit.Allowed, limit.Allowed, limit.Rejected, limit.Allowed, limit.Rejected}
	if n := p.Differing(virtual); n != 2 {
		t.Errorf("%d differ; want the second and the third", n)
	}
}
