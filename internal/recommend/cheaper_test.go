package recommend

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Who may let through no more than the limit takes the log, which is the dearest. Of the cheaper ones each algorithm
// has a line, about the variant that comes nearest, and gcra, which decides as leaky-bucket, has none.
func TestWhyNotTheCheaper(t *testing.T) {
	q := workedQuestion(t)
	q.Tolerance.MaxOvershoot = 1
	doc := answer(t, q, worked())
	here, anywhere := onThisTraffic(doc.Candidates), onAnyTraffic(doc.Candidates)
	if len(here) != 1 || here[0].Algorithm != "sliding-window-log" {
		t.Fatalf("%v", said(doc))
	}
	want := []string{
		"not leaky-bucket, though it takes 2 Redis commands to admit a request, sliding-window-log 4.5: " +
			"peak 110 in 1s is 1.10 x the limit, more than 1",
		"not sliding-window-buckets, though it takes 2 Redis commands to admit a request, sliding-window-log 4.5: " +
			"lets through 11 less than the 1000 of an exact limiter: 1.1%, more than 1%",
		"not sliding-window-counter, though it takes 3 Redis commands to admit a request, sliding-window-log 4.5: " +
			"peak 111 in 1s is 1.11 x the limit, more than 1",
	}
	if diff := cmp.Diff(want, notTheCheaper(here, doc.Candidates, excludedHere)); diff != "" {
		t.Errorf("on this traffic (-want +got):\n%s", diff)
	}
	// The cheapest of all that promise it is the first, and nothing is cheaper but the shaper, which takes as much.
	if got := notTheCheaper(anywhere, doc.Candidates, unpromised); got != nil {
		t.Errorf("on any traffic: %q", got)
	}
	q.Server = Models
	if got := answer(t, q, worked()).OnThisTraffic.Why; len(got) != 2 {
		t.Errorf("no cost is known, and somebody is cheaper: %q", got)
	}
}
