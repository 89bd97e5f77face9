// Package limitstest draws random limits and parameters for an algorithm from its declarations. It is not part of
// algotest, because it imports algorithms, and the tests of algorithms import algotest.
package limitstest

import (
	"fmt"
	"math/rand/v2"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/limit"
)

var windows = []time.Duration{time.Millisecond, 1500 * time.Microsecond, 7777 * time.Microsecond,
	10 * time.Millisecond, time.Second, 1000003 * time.Microsecond, 3 * time.Second, 24 * time.Hour}

// Random returns a random limit and parameters. Most counts are small, so that a trace can exhaust them. Often the
// window is not a multiple of the count. Some limits are at the edge of exact numbers. Parameters that do not fit
// together are left out.
func Random(r *rand.Rand, algorithm *algorithms.Algorithm) (label string, p limit.Policy) {
	p = limit.Policy{Requests: 1 + r.Int64N(9), Window: windows[r.IntN(len(windows))]}
	switch r.IntN(6) {
	case 0:
		p = limit.Policy{Requests: []int64{1_000_000, 999_983, 700_001, 333_333}[r.IntN(4)], Window: 24 * time.Hour}
	case 1:
		p.Requests = 1 + r.Int64N(1000)
	}
	if r.IntN(3) == 0 {
		p.Burst = 1 + r.Int64N(2*p.Requests)
	}
	text := ""
	if algorithm.InRole(algorithms.Clock) != nil {
		text = []string{"", ":time=server", ":time=client", ":time=client:granularity=1ms",
			":time=client:granularity=1s"}[r.IntN(5)]
	}
	if label = algorithm.Name + own(r, algorithm, p) + text; !legal(label, p) {
		label = algorithm.Name + text
	}
	if !legal(label, p) {
		p = limit.Policy{Requests: 7, Window: time.Second}
	}
	return label, p
}

// RandomRow returns a random row, as Random does. The row often has its own limit, gateways or both.
func RandomRow(r *rand.Rand, algorithm *algorithms.Algorithm) (label string, p limit.Policy) {
	label, p = Random(r, algorithm)
	row := ""
	for _, q := range []struct{ name, value string }{
		{"limit", fmt.Sprint(1 + r.Int64N(12))},
		{"per", limit.FormatDuration(windows[r.IntN(len(windows))])},
		{"nodes", fmt.Sprint(1 + r.IntN(4))},
		{"balancer", []string{"round-robin", "random"}[r.IntN(2)]},
	} {
		if r.IntN(2) == 0 {
			row += ":" + q.name + "=" + q.value
		}
	}
	if legal(label+row, p) {
		label += row
	}
	return label, p
}

// own returns values for most of the algorithm's numbers and durations, as in a label. The capacity comes from the
// limit.
func own(r *rand.Rand, algorithm *algorithms.Algorithm, p limit.Policy) string {
	text := ""
	for _, q := range algorithm.Parameters {
		if q.Role == algorithms.Capacity || r.IntN(3) == 0 {
			continue
		}
		switch q.Kind {
		case algorithms.Integer:
			most := []int64{12, p.Requests, p.Capacity()}[r.IntN(3)]
			text += fmt.Sprintf(":%s=%d", q.Name, q.Low+r.Int64N(min(q.High-q.Low+1, most)))
		case algorithms.Duration:
			text += ":" + q.Name + "=" + limit.FormatDuration(windows[r.IntN(len(windows))])
		}
	}
	return text
}

func legal(label string, p limit.Policy) bool {
	choice, err := algorithms.Parse(label)
	if err == nil {
		_, err = choice.Under(p)
	}
	return err == nil
}
