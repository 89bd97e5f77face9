package page

import (
	"testing"

	"ratelab/internal/limit"
	"ratelab/internal/result"
)

// judged is a run of rows that the case names: algorithm, peak of 100 allowed, excess, lost of 200.
func judged(rows ...any) *result.Run {
	r := &result.Run{Limit: result.Limit{Requests: 100, WindowUS: 1_000_000, Burst: 100}}
	for i := 0; i < len(rows); i += 4 {
		row := result.Row{Algorithm: rows[i].(string)}
		peak := int64(rows[i+1].(int))
		row.Offered, row.Peak, row.XLimit = 1000, peak, float64(peak)/100
		row.Excess, row.Lost = int64(rows[i+2].(int)), float64(rows[i+3].(int))/200
		row.OfferedCost, row.ExactCost, row.AdmittedCost = 1000, 200, 500
		r.Results = append(r.Results, row)
	}
	return r
}

// costly is r with costs that are not all 1.
func costly(r *result.Run) *result.Run {
	r.Results[0].OfferedCost *= 2
	return r
}

func byBucket(r *result.Run) *result.Run {
	r.Limit.Contract = limit.ByBucket
	return r
}

// The verdict reads as a person would write it, whoever keeps the limit: nobody, one, some, most or all.
func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		name string
		run  *result.Run
		want string
	}{
		{"no rows", judged(), "Nothing was decided."},
		{"one that keeps it", judged("log", 100, 0, 0),
			"log keeps the limit of 100 in any second. log lets through all that an exact limiter would."},
		{"one that does not", judged("gcra", 176, 70, 2),
			"gcra exceeds the limit of 100 in any second: up to 176, 1.76 times as many. gcra loses 2 requests, " +
				"1.0 % of what an exact limiter lets through."},
		{"the floor alone", judged("none", 300, 200, 0),
			"none exceeds the limit of 100 in any second: up to 300, 3.00 times as many. Nothing is lost that an " +
				"exact limiter lets through."},
		{"the floor is no contestant", judged("none", 300, 200, 0, "log", 100, 0, 0),
			"log keeps the limit of 100 in any second. log lets through all that an exact limiter would."},
		{"all", judged("a", 90, 0, 0, "b", 100, 0, 0),
			"Both keep the limit of 100 in any second. Both let through all that an exact limiter would."},
		{"all, and none is exact", judged("a", 90, 0, 9, "b", 100, 0, 12, "c", 100, 0, 1),
			"All 3 keep the limit of 100 in any second. b loses most: 12 requests, 6.0 % of what an exact limiter " +
				"lets through."},
		{"nobody", judged("a", 190, 90, 0, "b", 200, 100, 0),
			"Neither keeps the limit of 100 in any second; b exceeds it most: up to 200, 2.00 times as many. Nothing " +
				"is lost that an exact limiter lets through."},
		{"a hair's breadth is not rounded away", judged("a", 100, 0, 0, "b", 100, 0, 0, "c", 101, 1, 1),
			"a and b keep the limit of 100 in any second; c exceeds it most: up to 101, 1.01 times as many. a and b " +
				"let through all that an exact limiter would; c loses most: 1 request, 0.5 % of what an exact " +
				"limiter lets through."},
		{"two are worst", judged("log", 100, 0, 0, "a", 200, 100, 3, "b", 200, 100, 3),
			"log keeps the limit of 100 in any second; a and b exceed it most: each up to 200, 2.00 times as many. " +
				"log lets through all that an exact limiter would; a and b lose most: 3 requests, 1.5 % of what an " +
				"exact limiter lets through."},
		{"costs", costly(judged("log", 100, 0, 0, "sub", 100, 0, 30)),
			"Both keep the limit of 100 in any second. log lets through all that an exact limiter would; sub loses " +
				"most: 30 permits, 15 % of what an exact limiter lets through."},
		{"by the bucket", byBucket(judged("gcra", 170, 0, 0, "log", 100, 0, 60, "aligned", 200, 10, 0)),
			"gcra and log keep a bucket of 100 that 100 per second refill; aligned exceeds it most: 10 requests " +
				"beyond it, 2.0 % of what it admits. gcra lets through all that an exact limiter would; log loses " +
				"most: 60 requests, 30 % of what an exact limiter lets through."},
	} {
		if got := verdict(c.run); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// The time scale on which the limit falls is named where it is shorter than the window.
func TestVerdictNamesTheTimeScale(t *testing.T) {
	r := judged("a", 200, 100, 0)
	r.TimeScales = &result.TimeScales{IntervalUS: []int64{1000, 10_000, 100_000, 1_000_000}}
	r.Results[0].MostAdmitted = []int64{100, 101, 200, 200}
	if got, want := newJury(r).excess(newJury(r).exceed[0]), "up to 200, 2.00 times as many, and more than "+
		"100 within 10 ms already"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
	r.Results[0].MostAdmitted = []int64{1, 10, 100, 200}
	if got, want := newJury(r).excess(newJury(r).exceed[0]), "up to 200, 2.00 times as many"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
}

func TestVerdictOfAnInterruptedRun(t *testing.T) {
	r := judged("log", 100, 0, 0)
	r.Partial = true
	if got := verdict(r); got[:len("Interrupted before its end; so far: log keeps")] != "Interrupted before its end; "+
		"so far: log keeps" {
		t.Error(got)
	}
	r.Results[0].Offered = 0
	if got := verdict(r); got != "No request arrived, so there was nothing to decide." {
		t.Error(got)
	}
}
