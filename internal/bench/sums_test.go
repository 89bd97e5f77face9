package bench

import (
	"errors"
	"fmt"
	"math"

	"ratelab/internal/result"
)

// addsUp checks what must agree in a result: requests with decisions, rounds with their sums, histograms with their
// counts, medians with their samples. An error names the first that does not.
func addsUp(r *result.Document) error {
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
	names := map[string]bool{}
	for i := range r.Latency {
		l := &r.Latency[i]
		name := l.Scenario + ": " + l.Algorithm
		if names[name] {
			return fmt.Errorf("%s stands there twice", name)
		}
		names[name] = true
		if err := checkLimiter(l); err != nil {
			return fmt.Errorf("%s: %w", name, err)
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
	var admitted, rejected int64
	var server []*float64
	for _, round := range o.Rounds {
		admitted, rejected = admitted+round.Admitted, rejected+round.Rejected
		server = append(server, round.ServerUSPerCall)
	}
	for _, s := range []struct {
		name   string
		figure int64
		of     string
		want   int64
	}{
		{"offered", o.Offered, "sent + dropped", o.Sent + o.Dropped},
		{"sent", o.Sent, "admitted + rejected", o.Admitted + o.Rejected},
		{"admitted", o.Admitted, "the rounds'", admitted},
		{"rejected", o.Rejected, "the rounds'", rejected},
	} {
		if s.figure != s.want || s.figure < 0 {
			return fmt.Errorf("%s is %d, and %s is %d", s.name, s.figure, s.of, s.want)
		}
	}
	if err := checkHistograms(o); err != nil {
		return err
	}
	return checkMedian("server_us_per_decision", o.ServerUSPerCall, server)
}

// checkHistograms compares each histogram with the decisions that it is of.
func checkHistograms(o *result.Latency) error {
	for i, want := range []int64{o.Admitted, o.Rejected} {
		decision := []string{"admitted", "rejected"}[i]
		of := []*result.Durations{&o.Outcomes.Admitted, &o.Outcomes.Rejected}[i]
		for j, name := range []string{"lag", "wait", "service", "response"} {
			if all := of.Stretches()[j].Count(); all != want {
				return fmt.Errorf("%s %s counts %d, and the decisions are %d", decision, name, all, want)
			}
		}
		parts := int64(0)
		for _, v := range o.Intervals {
			parts += []*result.Histogram{v.Admitted, v.Rejected}[i].Count()
		}
		if len(o.Intervals) > 0 && parts != want {
			return fmt.Errorf("the intervals' %s responses are %d, and all together %d", decision, parts, want)
		}
	}
	return nil
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
