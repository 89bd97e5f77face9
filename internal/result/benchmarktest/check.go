package benchmarktest

import (
	"errors"
	"fmt"
	"math"

	"ratelab/internal/result"
)

// Check adds up what must agree in a result: requests with decisions, rounds with their sums, histograms with their
// counts, medians with their samples. An error names the first that does not.
//
// Note: it is for the tests of who measures. Who reads a result needs none of it: the checksum sees every change.
func Check(r *result.Document) error {
	if err := checkHeader(r); err != nil {
		return err
	}
	rows := 0
	for i := range r.Runs {
		rows += len(r.Plays(&r.Runs[i]))
	}
	if rows != len(r.Latency) {
		return fmt.Errorf("of %d latencies %d have a row", len(r.Latency), rows)
	}
	limiter := func(l *result.Latency) string { return l.Scenario + ": " + l.Algorithm }
	return eachOnce(r.Latency, limiter, checkLimiter)
}

// eachOnce checks the members of a list, each under its name, which stands there once.
func eachOnce[T any](list []T, name func(*T) string, check func(*T) error) error {
	names := map[string]bool{}
	for i := range list {
		n := name(&list[i])
		if names[n] {
			return fmt.Errorf("%s stands there twice", n)
		}
		names[n] = true
		if err := check(&list[i]); err != nil {
			return fmt.Errorf("%s: %w", n, err)
		}
	}
	return nil
}

func checkHeader(h *result.Document) error {
	switch {
	case h.SchemaVersion != result.Version:
		return fmt.Errorf("schema_version is %d, want %d", h.SchemaVersion, result.Version)
	case h.Command != result.OfBench:
		return fmt.Errorf("command is %q, want %q", h.Command, result.OfBench)
	case h.Validity.Valid != (len(h.Validity.Reasons) == 0):
		return fmt.Errorf("valid is %t with %d reasons against it", h.Validity.Valid, len(h.Validity.Reasons))
	}
	return nil
}

func checkLimiter(o *result.Latency) error {
	var accepted, rejected int64
	var server []*float64
	for _, round := range o.Rounds {
		accepted, rejected = accepted+round.Accepted, rejected+round.Rejected
		server = append(server, round.ServerUSPerCall)
	}
	sums := []sum{
		{"offered", o.Offered, "sent + dropped", o.Sent + o.Dropped},
		{"sent", o.Sent, "accepted + rejected", o.Accepted + o.Rejected},
		{"accepted", o.Accepted, "the rounds'", accepted},
		{"rejected", o.Rejected, "the rounds'", rejected},
	}
	if err := disagreement(sums...); err != nil {
		return err
	}
	if err := checkHistograms(o); err != nil {
		return err
	}
	return checkMedian("server_us_per_decision", o.ServerUSPerCall, server)
}

// sum is a figure and what it must be.
type sum struct {
	name   string
	figure int64
	of     string
	want   int64
}

func disagreement(sums ...sum) error {
	for _, s := range sums {
		if s.figure != s.want || s.figure < 0 {
			return fmt.Errorf("%s is %d, and %s is %d", s.name, s.figure, s.of, s.want)
		}
	}
	return nil
}

// checkHistograms compares each histogram with the decisions that it is of.
func checkHistograms(o *result.Latency) error {
	whole := counts(&o.Outcomes)
	for i, want := range []int64{o.Accepted, o.Rejected} {
		decision := []string{"accepted", "rejected"}[i]
		for j, name := range []string{"lag", "wait", "service", "response"} {
			if all := whole[i][j]; all != want {
				return fmt.Errorf("%s %s counts %d, and the decisions are %d", decision, name, all, want)
			}
		}
		if parts := intervalCounts(o)[i]; len(o.Intervals) > 0 && parts != want {
			return fmt.Errorf("the intervals' %s responses are %d, and all together %d", decision, parts, want)
		}
	}
	return nil
}

// intervalCounts are how many answers the intervals have, of what was accepted and of what was rejected.
func intervalCounts(o *result.Latency) (all [2]int64) {
	for i := range o.Intervals {
		all[0] += o.Intervals[i].Accepted.Count()
		all[1] += o.Intervals[i].Rejected.Count()
	}
	return all
}

// counts are how much the histograms hold, of what was accepted and of what was rejected.
func counts(o *result.Outcomes) (all [2][4]int64) {
	for i, d := range []*result.Durations{&o.Accepted, &o.Rejected} {
		all[i] = [4]int64{count(d.Lag), count(d.Wait), count(d.Service), count(d.Response)}
	}
	return all
}

// count is how much h holds; an absent histogram is empty.
func count(h *result.Histogram) int64 {
	if h == nil {
		return 0
	}
	return h.TotalCount()
}

// checkMedian compares a figure with the median of those that are there, but for the last digits: a sum may have been
// made in another order.
func checkMedian(name string, figure *float64, of []*float64) error {
	var values []float64
	for _, v := range of {
		if v != nil {
			values = append(values, *v)
		}
	}
	want := result.Median(values)
	switch {
	case figure == nil && values == nil:
		return nil
	case figure == nil || values == nil:
		return errors.New(name + " is there without its samples, or they without it")
	case math.Abs(*figure-want) > 1e-9*math.Abs(want):
		return fmt.Errorf("%s is %v, and the median of the rounds is %v", name, *figure, want)
	}
	return nil
}
