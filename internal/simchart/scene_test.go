package simchart

import (
	"math/rand/v2"
	"time"

	"ratelab/internal/curves"
	"ratelab/internal/limit"
	"ratelab/internal/measure"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// traffic is the arrival times of a made-up scenario, in order.
type traffic struct {
	name, question string
	policy         limit.Policy
	duration       time.Duration
	arrivals       []int64
}

// spread puts each second's requests evenly into it, from its start.
func spread(perSecond ...int64) []int64 {
	var at []int64
	for second, n := range perSecond {
		for i := range n {
			at = append(at, int64(second)*1e6+i*1e6/n)
		}
	}
	return at
}

func caseOne() traffic {
	return traffic{"extreme-case-1", "Does 1000 per 3 s hold when demand peaks on both sides of a window's edge?",
		limit.Policy{Requests: 1000, Window: 3 * time.Second}, 6 * time.Second, spread(10, 10, 980, 900, 100, 0)}
}

func caseTwo() traffic {
	return traffic{"extreme-case-2", "Does a full second at the start starve those that follow?",
		limit.Policy{Requests: 1000, Window: 3 * time.Second}, 4 * time.Second, spread(1000, 300, 300, 300)}
}

// poisson gives about rate·duration arrivals with exponential gaps, from a fixed seed.
func poisson(rate func(second float64) float64, duration time.Duration) []int64 {
	random := rand.New(rand.NewPCG(1, 2))
	var at []int64
	for t := 0.0; ; {
		t += random.ExpFloat64() / rate(t)
		if t >= duration.Seconds() {
			return at
		}
		at = append(at, int64(t*1e6))
	}
}

// contender is one algorithm under its label.
type contender struct {
	label string
	make  func(limit.Policy) decider
}

func twelve(burst int64) []contender {
	return []contender{
		{"none", everything}, {"fixed-window", intervalBucket}, {"fixed-window-aligned", alignedWindow},
		{"sliding-window-log", slidingLog}, {"sliding-window-counter", slidingCounter},
		{"sliding-window-buckets", subWindows(10)}, {"sliding-window-buckets:sub_windows=30", subWindows(30)},
		{"token-bucket-interval", intervalBucket}, {"token-bucket-debt", intervalBucket}, {"token-bucket",
			theoretical(burst)},
		{"gcra", theoretical(burst)}, {"gcra:burst=100", theoretical(burst / 10)}, {"leaky-bucket",
			theoretical(burst / 2)},
	}
}

// play runs the contenders over the traffic and collects the buckets as an observer would.
func play(t traffic, buckets int64, contenders ...contender) curves.Input {
	width := max((t.duration.Microseconds()+buckets-1)/buckets, 1)
	lengths := measure.TimeScales(t.policy.WindowUS())
	offered := observe(t, everything(t.policy), width, buckets)
	exact := observe(t, slidingLog(t.policy), width, buckets)
	in := curves.Input{
		Version: "v1.0.0",
		Run: &report.Run{Scenario: t.name, Question: t.question, Seed: 1, Clock: "virtual", Keys: 1,
			DurationUS: t.duration.Microseconds(),
			TimeScales: &report.TimeScales{IntervalUS: lengths, Limit: measure.Allowed(t.policy, lengths)},
			Limit: result.Limit{Requests: t.policy.Requests, WindowUS: t.policy.WindowUS(),
				Burst: t.policy.Capacity()},
			Server: result.Server{Kind: "embedded", Name: "miniredis", Version: "2.40.0", Transport: "pipe"}},
		Traffic:   measure.Traffic{BucketUS: width, Offered: offered.Admitted},
		Reference: &exact,
	}
	for _, c := range contenders {
		in.Algorithms = append(in.Algorithms,
			curves.Lane{Label: c.label, Series: observe(t, c.make(t.policy), width, buckets)})
		row := report.Row{Algorithm: c.label,
			Figures: measure.Figures{MostAdmitted: mostAdmitted(t, c.make(t.policy), lengths)}}
		if c.label != "none" {
			row.Bound = measure.Allowed(t.policy, lengths) // a bound like any other
		}
		in.Run.Results = append(in.Run.Results, row)
	}
	return in
}

func observe(t traffic, decide decider, width, buckets int64) measure.Series {
	s := measure.Series{BucketUS: width, Admitted: make([]int64, buckets), Rolling: make([]int64, buckets)}
	var window []int64
	next := 0
	for b := range buckets {
		window = trim(window, b*width-t.policy.WindowUS())
		s.Rolling[b] = int64(len(window))
		for ; next < len(t.arrivals) && t.arrivals[next] < (b+1)*width; next++ {
			at := t.arrivals[next]
			if decide(at) {
				window = append(trim(window, at-t.policy.WindowUS()), at)
				s.Admitted[b]++
				s.Rolling[b] = max(s.Rolling[b], int64(len(window)))
			}
		}
	}
	return s
}

// mostAdmitted is the most in any interval of each length, worked out one length after the other.
func mostAdmitted(t traffic, decide decider, lengths []int64) []int64 {
	var admitted []int64
	for _, at := range t.arrivals {
		if decide(at) {
			admitted = append(admitted, at)
		}
	}
	most := make([]int64, len(lengths))
	for i, length := range lengths {
		from := 0
		for to, at := range admitted {
			for admitted[from] <= at-length {
				from++
			}
			most[i] = max(most[i], int64(to-from+1))
		}
	}
	return most
}

func trim(window []int64, before int64) []int64 {
	for len(window) > 0 && window[0] <= before {
		window = window[1:]
	}
	return window
}
