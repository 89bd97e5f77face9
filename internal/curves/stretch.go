package curves

import (
	"slices"
	"strings"

	"ratelab/internal/chart"
	"ratelab/internal/measure"
)

// longSilence is which part of a scenario must be silent, before anybody comes or after everything is over, so that it
// is not drawn: 1/longSilence. Of what is drawn 1/silenceLeft is still silent, so that one sees where it begins.
const (
	longSilence = 4
	silenceLeft = 10
)

// stretch is the buckets that are drawn, from one to before another: all of them but for a long silence at either end.
func (in Input) stretch() (from, to int) {
	n := len(in.Traffic.Offered)
	first, last := n, -1
	for i := range n {
		if in.busy(i) {
			first, last = min(first, i), i
		}
	}
	if last < 0 {
		return 0, n
	}
	margin := (last-first)/silenceLeft + 1
	if to = n; n-1-last > n/longSilence {
		to = min(n, last+1+margin)
	}
	if first > n/longSilence {
		from = max(0, first-margin)
	}
	return from, to
}

// busy reports whether anything arrives in a bucket, or anything is to be seen there of what arrived before. What is
// held counts while it changes.
func (in Input) busy(i int) bool {
	if in.Traffic.Offered[i] > 0 {
		return true
	}
	return slices.ContainsFunc(append(in.reference(), in.Algorithms...), func(l Lane) bool {
		s := &l.Series
		return in.offered(l)[i] > 0 || s.Admitted[i] > 0 || s.Rolling[i] > 0 || s.DelayUS != nil && s.DelayUS[i] > 0 ||
			s.Keys != nil && i > 0 && s.Keys[i] != s.Keys[i-1]
	})
}

// within is the input as if there were no other buckets, but that its time goes on counting from the scenario's start.
func (in Input) within(from, to int) Input {
	cut := func(s measure.Series) measure.Series {
		for _, values := range []*[]int64{&s.Admitted, &s.Rolling, &s.DelayUS, &s.Keys} {
			if *values != nil {
				*values = (*values)[from:to]
			}
		}
		return s
	}
	in.fromUS = int64(from) * in.Traffic.BucketUS
	in.Traffic.Offered = in.Traffic.Offered[from:to]
	if in.Reference != nil {
		reference := cut(*in.Reference)
		in.Reference = &reference
	}
	in.Algorithms = slices.Clone(in.Algorithms)
	for i := range in.Algorithms {
		l := &in.Algorithms[i]
		l.Series = cut(l.Series)
		if l.Traffic != nil {
			own := *l.Traffic
			own.Offered = own.Offered[from:to]
			l.Traffic = &own
		}
	}
	return in
}

// silence says what of the scenario the axis leaves out; nothing where that is nothing.
func (in Input) silence(t Timeline) string {
	var parts []string
	if t.FromUS > 0 {
		parts = append(parts, "begins at "+chart.Span(float64(t.FromUS))+", before which")
	}
	if t.EndUS < in.Run.DurationUS {
		parts = append(parts, "ends at "+chart.Span(float64(t.EndUS))+", after which")
	}
	if parts == nil {
		return ""
	}
	return "The axis " + strings.Join(parts, " nothing happens, and ") + " nothing happens"
}
