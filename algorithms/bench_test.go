package algorithms

import (
	"testing"

	"ratelab/algorithms/algotest"
)

// One key, at twice the rate of its limit: half of the requests are admitted.
func BenchmarkModelOneKey(b *testing.B) {
	for _, name := range Names() {
		b.Run(name, func(b *testing.B) {
			l, at := modelOf(b, name, policy(b, "1000/3s")), algotest.StartUS
			for b.Loop() {
				at += 1500
				l.Decide(at, at, "k", 1)
			}
			perSecond(b)
		})
	}
}

func perSecond(b *testing.B) {
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "decisions/s")
	b.ReportMetric(0, "ns/op")
}
