package measure

import (
	"fmt"
	"testing"
	"time"

	"ratelab/internal/limit"
)

// BenchmarkObserve measures the meter, the reference and the key set apart, at 100,000 requests a second against
// 100 a second and key. The meter sees every other request admitted. Of a million keys a tenth live at any
// time, so that sweeping is part of the figure.
func BenchmarkObserve(b *testing.B) {
	for _, keys := range []int{1, 1000, 1_000_000} {
		names := make([]string, keys)
		for i := range names {
			names[i] = fmt.Sprintf("client-%d", i)
		}
		p := limit.Policy{Requests: 100, Window: time.Second}
		b.Run(fmt.Sprintf("meter/keys=%d", keys), func(b *testing.B) {
			m := NewMeter(p, 0)
			b.ReportAllocs()
			for i := range b.N {
				q := limit.Request{AtUS: int64(i) * 10, Key: names[i*7919%keys], Cost: 1}
				m.Observe(q, int64(i*7919%keys), limit.Decision{Verdict: limit.Verdict(i & 1)})
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "observations/s")
		})
		b.Run(fmt.Sprintf("reference/keys=%d", keys), func(b *testing.B) {
			r := NewReference(p, 0)
			b.ReportAllocs()
			for i := range b.N {
				r.Admit(limit.Request{AtUS: int64(i) * 10, Key: names[i*7919%keys], Cost: 1},
					int64(i*7919%keys))
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "decisions/s")
		})
		b.Run(fmt.Sprintf("keyset/keys=%d", keys), func(b *testing.B) {
			s := NewKeySet()
			b.ReportAllocs()
			for i := range b.N {
				s.Add(names[i*7919%keys])
			}
		})
	}
}
