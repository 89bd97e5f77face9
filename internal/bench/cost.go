package bench

import (
	"ratelab/internal/result"
	"ratelab/internal/run"
)

// newCost is what will be found of a limiter in the closed loop.
func newCost(c *run.Limiter) *result.Cost {
	out := &result.Cost{Identity: identity(c), Sweep: []result.Level{}, Memory: []result.Fill{}}
	for _, name := range result.Mixes() {
		out.Mixes = append(out.Mixes, result.Mix{Mix: name, Service: result.NewHistogram(),
			Samples: []result.Sample{}})
	}
	return out
}

// addTo adds what one round measured of a mix.
func (m *closedRound) addTo(mix *result.Mix, round int) {
	mix.Accepted += m.Accepted
	mix.Rejected += m.Sent - m.Accepted
	mix.Service.Merge(m.Service.Histogram)
	mix.Samples = append(mix.Samples, result.Sample{
		Round: round, StartedUS: m.startedUS, Calls: m.Sent, Accepted: m.Accepted,
		ThroughputPerS: m.PerSecond(), ServerUSPerCall: m.serverUS(),
		ServiceP50US: float64(m.Service.ValueAtPercentile(50)), ServiceP99US: float64(m.Service.ValueAtPercentile(99)),
	})
}

// complete adds what follows from a mix of all rounds; control is that of the control.
func complete(mix, control *result.Mix, call *result.Work) {
	mix.RatioToControl = result.RatioToControl(mix.Samples, control.Samples)
	if call != nil {
		mix.AllocationsPerCall = call.AllocationsPerCall
	}
	var throughput []float64
	var serverUS []*float64
	for _, s := range mix.Samples {
		throughput, serverUS = append(throughput, s.ThroughputPerS), append(serverUS, s.ServerUSPerCall)
	}
	mix.ThroughputPerS, mix.ServerUSPerCall = result.Median(throughput), median(serverUS)
}
