package report

import (
	"slices"
	"testing"

	"ratelab/internal/measure"
	"ratelab/internal/result"
)

func TestInterleavingsAreSentences(t *testing.T) {
	trips, few := 2.5, 0.4
	r := result.Run{Results: []result.Row{
		{Algorithm: "gcra"},
		{Algorithm: "read-then-increment",
			Figures: measure.Figures{Race: &measure.Race{Commands: 20, RaceAdmits: 7}, RoundTripsPerDecision: &trips}},
		{Algorithm: "distributed-lock",
			Figures: measure.Figures{Race: &measure.Race{Commands: 20, RaceRejects: 1, LockWaits: 1, LockLosses: 3}}},
		{Algorithm: "incr-then-compare",
			Figures: measure.Figures{Race: &measure.Race{Crashes: 1, LockedOutUS: 2_500_000}}},
		{Algorithm: "push-then-trim", Figures: measure.Figures{Race: &measure.Race{QueuePeak: 9, Trimmed: 8,
			TrimmedNeedlessly: 2, QueueLost: 7, QueueKept: 3}}},
		{Algorithm: "gcra+local-flag",
			Figures: measure.Figures{Result: measure.Result{Offered: 10},
				LocalFlag: &measure.LocalFlag{LocalRejects: 6, WrongRejects: 2}, RoundTripsPerDecision: &few}},
	}}
	want := []string{
		"read-then-increment: 7 admitted and 0 rejected by interleaving alone, 2.50 round trips per decision",
		"distributed-lock: 0 admitted and 1 rejected by interleaving alone, 1 wait for the lock, 3 locks lost",
		"incr-then-compare: 0 admitted and 0 rejected by interleaving alone, 1 client died after INCRBY, a key " +
			"locked out for 2.5s by what one left",
		"push-then-trim: 0 admitted and 0 rejected by interleaving alone, a queue of up to 9 elements, 8 trimmed " +
			"away (2 needlessly), 7 of admitted requests lost, 3 of rejected ones kept",
		"gcra+local-flag: of 10 requests, the clients' own flags reject 6; of these 2, asked alone at that moment, " +
			"would have passed, 0.40 round trips per decision",
	}
	if got := interleavings(&r); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
