package bench

import (
	"ratelab/internal/benchresult"
	"ratelab/internal/lineup"
)

// cost is what all rounds found of one entry in the closed loop.
type cost struct {
	mixes   map[string]*mixed
	sweep   []benchresult.Level
	memory  []benchresult.Fill
	perCall *callCost // nil for what was not counted
}

func newCost() *cost {
	c := &cost{mixes: map[string]*mixed{}, sweep: []benchresult.Level{}, memory: []benchresult.Fill{}}
	for _, name := range benchresult.Mixes() {
		c.mixes[name] = &mixed{service: benchresult.NewHistogram(), samples: []benchresult.Sample{}}
	}
	return c
}

// mixed is one mix over all rounds.
type mixed struct {
	totals   totals
	accepted int64
	service  *benchresult.Histogram
	samples  []benchresult.Sample
}

// add takes one round.
func (m *mixed) add(number int, s *closedRound) {
	m.totals.add(&s.Result, &s.account)
	m.accepted += s.Accepted
	m.service.Merge(s.Overall().Service)
	m.samples = append(m.samples, s.sample(number))
}

// record writes the mix down; control is that of the control.
func (m *mixed) record(name string, control *mixed, t *callCost) benchresult.Mix {
	out := benchresult.Mix{
		Mix: name, Accepted: m.accepted, Rejected: m.totals.sent - m.accepted, Service: m.service, Samples: m.samples,
		RatioToControl: benchresult.RatioToControl(m.samples, control.samples),
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
	out.ThroughputPerS = benchresult.Median(throughput)
	out.ServerUSPerCall = median(serverUS)
	return out
}

// level takes one step of the sweep.
func (c *cost) level(connections int, s *closedRound) {
	service := benchresult.NewHistogram()
	service.Merge(s.Overall().Service)
	c.sweep = append(c.sweep, benchresult.Level{
		Connections: connections, ThroughputPerS: s.PerSecond, ServerUSPerCall: s.serverUS(), Service: service,
	})
}

// record writes the cost down; control is the control's.
func (c *cost) record(who *lineup.Entry, control *cost) benchresult.Cost {
	out := benchresult.Cost{Identity: identity(who), Sweep: c.sweep, Memory: c.memory}
	for _, name := range benchresult.Mixes() {
		out.Mixes = append(out.Mixes, c.mixes[name].record(name, control.mixes[name], c.perCall))
	}
	return out
}
