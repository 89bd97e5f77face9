package tune

import (
	"testing"

	"pgregory.net/rapid"
)

// The worst second is the largest sum in any (t − 1 s, t] of what leaves, request by request, whatever waits.
func TestWorstSecondIsWhatItsDefinitionSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l load
		var left []request
		var at int64
		for range rapid.IntRange(1, 150).Draw(t, "requests") {
			at += rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(0, 300_000),
				rapid.Just(int64(1_000_000))).Draw(t, "gap")
			delay := rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(0, 2_000_000)).Draw(t, "delay")
			cost := rapid.Int64Range(1, 5).Draw(t, "cost")
			l.add(at, delay, cost)
			left = append(left, request{at + delay, cost})
		}
		l.rest()
		var want int64
		for _, end := range left {
			var sum int64
			for _, q := range left {
				if q.atUS > end.atUS-secondUS && q.atUS <= end.atUS {
					sum += q.cost
				}
			}
			want = max(want, sum)
		}
		if l.most != want {
			t.Fatalf("%d, by definition %d", l.most, want)
		}
	})
}
