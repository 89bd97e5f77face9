package benchmarktest

import (
	"ratelab/internal/result"
)

// Shared is Example on a server that keeps no statistics: what its counters would say is unavailable.
func Shared() *result.Document {
	r := Example()
	r.Server.Kind, r.Server.Own, r.Server.Image, r.Server.Route, r.Server.MaxmemoryPolicy = "url", false, "", "", ""
	r.NoiseFloor.ServerUS = 0
	r.Notes = []string{"the server keeps no statistics"}
	for i := range r.Latency {
		l := &r.Latency[i]
		l.ServerUSPerCall = nil
		l.Work.Commands, l.Work.NetInPerDecision, l.Work.NetOutPerDecision = nil, nil, nil
		l.Work.Evicted, l.Work.UnexplainedEvalCalls = nil, nil
		for k := range l.Rounds {
			l.Rounds[k].ServerUSPerCall = nil
		}
	}
	for i := range r.Costs {
		shareCost(&r.Costs[i])
	}
	return r
}

func shareCost(c *result.Cost) {
	c.Memory = []result.Fill{}
	for i := range c.Mixes {
		c.Mixes[i].ServerUSPerCall, c.Mixes[i].RatioToControl = nil, nil
		for j := range c.Mixes[i].Samples {
			c.Mixes[i].Samples[j].ServerUSPerCall = nil
		}
	}
	for i := range c.Sweep {
		c.Sweep[i].ServerUSPerCall = nil
	}
}
