package bench

import (
	"ratelab/internal/lineup"
	"ratelab/internal/recording"
)

// cost is what all rounds found of one entry in the closed loop.
type cost struct {
	mixes  map[string]*mixed
	sweep  []recording.Level
	memory []recording.Fill
	taken  *taken // nil for what was not counted
}

func newCost() *cost {
	c := &cost{mixes: map[string]*mixed{}, sweep: []recording.Level{}, memory: []recording.Fill{}}
	for _, name := range recording.Mixes() {
		c.mixes[name] = &mixed{service: recording.NewHistogram(), samples: []recording.Sample{}}
	}
	return c
}

// mixed is one mix over all rounds.
type mixed struct {
	totals   totals
	accepted int64
	service  *recording.Histogram
	samples  []recording.Sample
}

// add takes one round.
func (m *mixed) add(number int, s *saturated) {
	m.totals.add(&s.Result, &s.account)
	m.accepted += s.Accepted
	m.service.Merge(s.Overall().Service)
	m.samples = append(m.samples, s.sample(number))
}

// record writes the mix down; control is that of the control.
func (m *mixed) record(name string, control *mixed, t *taken) recording.Mix {
	out := recording.Mix{
		Mix: name, Accepted: m.accepted, Rejected: m.totals.sent - m.accepted, Service: m.service, Samples: m.samples,
		RatioToControl: recording.RatioToControl(m.samples, control.samples),
	}
	if t != nil {
		out.AllocationsPerCall = &t.allocations
	}
	var throughput, serverUS []float64
	for _, s := range m.samples {
		throughput = append(throughput, s.ThroughputPerS)
		if s.ServerUSPerCall != nil {
			serverUS = append(serverUS, *s.ServerUSPerCall)
		}
	}
	out.ThroughputPerS = recording.Median(throughput)
	out.ServerUSPerCall = median(serverUS)
	return out
}

// level takes one step of the sweep.
func (c *cost) level(connections int, s *saturated) {
	service := recording.NewHistogram()
	service.Merge(s.Overall().Service)
	c.sweep = append(c.sweep, recording.Level{
		Connections: connections, ThroughputPerS: s.PerSecond, ServerUSPerCall: s.serverUS(), Service: service,
	})
}

// record writes the cost down; control is the control's.
func (c *cost) record(who *lineup.Entry, control *cost) recording.Cost {
	out := recording.Cost{Identity: identity(who), Sweep: c.sweep, Memory: c.memory}
	for _, name := range recording.Mixes() {
		out.Mixes = append(out.Mixes, c.mixes[name].record(name, control.mixes[name], c.taken))
	}
	return out
}
