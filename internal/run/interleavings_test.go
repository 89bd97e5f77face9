package run_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ratelab/internal/measure"
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
)

// racing are ten clients at one time before a limit of three, whose commands take a millisecond each way.
const racing = `name: racing
question: Who gets through?
limit: {requests: 3, per: 1s}
phases:
  - {name: all, burst: 10}
  - {name: end, duration: 500ms, pause: true}
clients: {count: 10, delay: 1ms}
sequences: [incr-then-compare, read-then-increment, "distributed-lock:tries=1"]
expect:
  - {algorithm: read-then-increment, admitted: 10}
  - {algorithm: fixed-window, admitted: 3}
`

// All read 0 at 1 ms, and count at 3 ms; the first to count then gives the counter its end. Of those who want the lock
// one gets it.
func TestSequencesByHand(t *testing.T) {
	j := job(written(t, racing))
	j.Algorithms = choices(t, "fixed-window")
	r := run(t, j).Document.Runs[0]
	want := []string{"fixed-window", "incr-then-compare", "read-then-increment", "distributed-lock:tries=1"}
	if diff := cmp.Diff(want, labelsOf(r)); diff != "" {
		t.Fatalf("rows, want(-) got(+):\n%s", diff)
	}
	for label, want := range map[string]struct {
		admitted int64
		trips    float64
		race     measure.Race
	}{
		"incr-then-compare":        {3, 1.1, measure.Race{Commands: 11}},
		"read-then-increment":      {10, 2.1, measure.Race{Commands: 21, RaceAdmits: 7}},
		"distributed-lock:tries=1": {1, 1.4, measure.Race{Commands: 14, RaceRejects: 9, LockWaits: 9}},
	} {
		got := rowOf(t, r, label)
		if got.Admitted != want.admitted || got.Offered != 10 || *got.RoundTrips != want.trips ||
			*got.Race != want.race {
			t.Errorf("%s: admitted %d of %d, %g round trips, %+v; want %+v", label, got.Admitted, got.Offered,
				*got.RoundTrips, *got.Race, want)
		}
		if got.ScriptSHA1 != "" || *got.KeysWithoutTTL != 0 {
			t.Errorf("%s: script %q and %d keys that stay, want none", label, got.ScriptSHA1, *got.KeysWithoutTTL)
		}
	}
	for _, e := range r.Expectations {
		if e.Met == nil || !*e.Met {
			t.Errorf("the expectation of %s is not met", e.Algorithm)
		}
	}
}

// flagged is one client that asks every 100 ms for what comes back once a second.
const flagged = `name: flagged
question: Does the client remember?
limit: {requests: 1, per: 1s}
phases:
  - {name: steady, duration: 1s, constant: 10}
clients: {local_flag: true}
expect:
  - {algorithm: gcra+local-flag, admitted: 1}
  - {algorithm: "gcra:burst=1+local-flag", rejected: 9}
`

// The first is admitted, the second rejected for 900 ms, and the client rejects the other eight itself.
func TestALocalFlagByHand(t *testing.T) {
	j := job(written(t, flagged))
	r := run(t, j).Document.Runs[0]
	plain, remembering := rowOf(t, r, "gcra"), rowOf(t, r, "gcra+local-flag")
	if plain.LocalFlag != nil || remembering.LocalFlag == nil {
		t.Fatalf("the flags are %v and %v, want one of the second row only", plain.LocalFlag, remembering.LocalFlag)
	}
	if got, want := *remembering.LocalFlag, (measure.LocalFlag{LocalRejects: 8}); got != want {
		t.Errorf("the flag's figures are %+v, want %+v", got, want)
	}
	if *remembering.RoundTrips != 0.2 || remembering.Admitted != 1 || remembering.Rejected != 9 {
		t.Errorf("%g round trips, admitted %d, rejected %d; want 0.2, 1 and 9",
			*remembering.RoundTrips, remembering.Admitted, remembering.Rejected)
	}
	if plain.DecisionsDigest != remembering.DecisionsDigest {
		t.Error("a client alone decides otherwise than the server would have")
	}
	for _, e := range r.Expectations {
		if e.Met == nil || !*e.Met {
			t.Errorf("the expectation of %s is not met", e.Algorithm)
		}
	}
}

// A server's rows are the model's: every script and every command has given the same answers there. The rows of a
// process share it, and none meets the keys of another.
func TestInterleavingsAreConfirmedOnServers(t *testing.T) {
	list := func() *asked {
		j := job(written(t, racing), written(t, flagged))
		j.Algorithms = choices(t, "fixed-window", "gcra", "gcra:burst=1")
		return j
	}
	want := run(t, list()).Document
	redistest.Each(t, func(t *testing.T, s *redis.Server) {
		for i, r := range runOn(t, list(), s).Document.Runs {
			for k, got := range r.Results {
				w := want.Runs[i].Results[k]
				if diff := cmp.Diff(w.Result, got.Result) + cmp.Diff(w.LocalFlag, got.LocalFlag) + cmp.Diff(w.Race,
					got.Race); diff != "" {
					t.Errorf("%s, want(-) got(+):\n%s", w.Algorithm, diff)
				}
			}
		}
	})
}
