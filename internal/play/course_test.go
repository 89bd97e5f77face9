package play_test

import (
	"slices"
	"testing"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/play"
)

// A reply that comes long after the stretch's end leaves the buckets as they are: all lists of a course have the same.
func TestALateReplyLeavesTheBuckets(t *testing.T) {
	const stretch = 100 * time.Millisecond
	part, err := play.NewPart(&listed{costs(0, 1, 50_100, 1, 99_900, 1), stretch.Microseconds()}, play.Wish{})
	if err != nil {
		t.Fatal(err)
	}
	allowed := limit.Decision{Verdict: limit.Allowed}
	for _, lateUS := range []int64{0, 40_000} {
		p := &play.Played{Answers: []play.Answer{
			{Decision: allowed, WrittenUS: 0, RepliedUS: 100, Sent: true},
			{Decision: allowed, WrittenUS: 50_110, RepliedUS: 50_190, Sent: true},
			{Decision: allowed, WrittenUS: 99_900 + lateUS, RepliedUS: 99_980 + lateUS, Sent: true},
		}}
		contest := &lineup.Contest{Policy: limit.Policy{Requests: 10, Window: time.Second, Burst: 10}}
		c, err := p.Course(t.Context(), contest, part, play.NewRecord(part))
		if err != nil {
			t.Fatal(err)
		}
		if c.BucketUS != 200 || len(c.Offered) != 500 || len(c.Admitted) != 500 || len(c.Rolling) != 500 {
			t.Fatalf("late by %d us: buckets of %d us: %d, %d and %d; want 500 of 200 us each", lateUS, c.BucketUS,
				len(c.Offered), len(c.Admitted), len(c.Rolling))
		}
		if c.Rolling[249] != 1 || c.Rolling[250] != 2 || slices.Max(c.Admitted) != 1 || c.Admitted[499] != 1 {
			t.Errorf("late by %d us: the window holds %d and then %d", lateUS, c.Rolling[249], c.Rolling[250])
		}
	}
}
