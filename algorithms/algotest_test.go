package algorithms_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ratelab/algorithms/algotest"
	"ratelab/internal/limit"
)

// A trace's words become requests and decisions.
func TestParseReadsATrace(t *testing.T) {
	traces, err := algotest.Parse("gcra.txt", `
# a comment
limit 3/3s burst 5
at=0s -> allow remaining=4 reset=1s # why
at=-1s key=b cost=9 -> deny remaining=4 retry=never reset=250us delay=0
limit 1/1m
label gcra:burst=2
at=1ms -> not-configured retry=1s
`)
	if err != nil {
		t.Fatal(err)
	}
	want := []algotest.Trace{
		{Name: "gcra.txt:3", Label: "gcra", Policy: limit.Policy{Requests: 3, Window: 3_000_000_000, Burst: 5},
			Steps: []algotest.Step{
				{Line: 4, Request: limit.Request{Key: "k", Cost: 1},
					Want: limit.Decision{Verdict: limit.Allowed, Remaining: 4, ResetAfterUS: 1_000_000}},
				{Line: 5, Request: limit.Request{AtUS: -1_000_000, Key: "b", Cost: 9},
					Want: limit.Decision{Remaining: 4, RetryAfterUS: limit.Never, ResetAfterUS: 250}},
			}},
		{Name: "gcra.txt:6", Label: "gcra:burst=2", Policy: limit.Policy{Requests: 1, Window: 60_000_000_000},
			Steps: []algotest.Step{
				{Line: 8, Request: limit.Request{AtUS: 1000, Key: "k", Cost: 1},
					Want: limit.Decision{Verdict: limit.NotConfigured, RetryAfterUS: 1_000_000}},
			}},
	}
	if diff := cmp.Diff(want, traces); diff != "" {
		t.Error(diff)
	}
}

// A slip in a trace is an error with its line, not a step that checks nothing.
func TestParseRefusesWhatItDoesNotKnow(t *testing.T) {
	for line, part := range map[string]string{
		"at=0s -> allow\n":                        "x.txt:1: a trace begins with",
		"limit 1/1s\nat=0s -> maybe\n":            "x.txt:2: want -> allow, deny or not-configured",
		"limit 1/1s\nat=0s cost=1\n":              "x.txt:2: want -> allow",
		"limit 1/1s\nat=0s -> allow remainin=1\n": `x.txt:2: unknown field "remainin=1"`,
		"limit 1/1s\nat=zero -> allow\n":          `x.txt:2: duration "zero"`,
		"limit 1/1s\nat=0s cost=one -> allow\n":   "x.txt:2:",
		"limit 1/0s\n":                            "x.txt:1: limit",
	} {
		if _, err := algotest.Parse("x.txt", line); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%q: %v; want %s", line, err, part)
		}
	}
}

// fixed answers everything alike.
type fixed limit.Decision

func (f fixed) Decide(int64, int64, string, int64) limit.Decision { return limit.Decision(f) }

func (f fixed) Fork(string) limit.Model { return f }

// A step that comes out otherwise is told in the trace's own words.
func TestCheckTellsWhatCameOut(t *testing.T) {
	traces, err := algotest.Parse("x.txt", "limit 1/1s\nat=0s -> allow\nat=0s -> deny retry=1s\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"x.txt:1, line 3: got allow remaining=0; want deny remaining=0 retry=1000000us"}
	if diff := cmp.Diff(want, traces[0].Check(fixed{Verdict: limit.Allowed})); diff != "" {
		t.Error(diff)
	}
}

// Random requests never go back in time, and the same seed draws the same.
func TestRandomRequestsRepeat(t *testing.T) {
	p := limit.Policy{Requests: 5, Window: 10_000_000}
	draw := func() []limit.Request {
		requests, decisions := algotest.RandomRequests(rand.New(rand.NewPCG(7, 0)), p,
			fixed{RetryAfterUS: 100, ResetAfterUS: 500})
		if len(requests) != algotest.RandomSteps || len(decisions) != algotest.RandomSteps {
			t.Fatalf("%d requests, %d decisions", len(requests), len(decisions))
		}
		return requests
	}
	first := draw()
	if diff := cmp.Diff(first, draw()); diff != "" {
		t.Error(diff)
	}
	for i := 1; i < len(first); i++ {
		if first[i].AtUS < first[i-1].AtUS {
			t.Fatalf("request %d goes back in time", i)
		}
	}
}
