package benchmarktest

import (
	"ratelab/internal/result"
)

// Shared is Example on a server that keeps no statistics: what its counters would say is unavailable.
func Shared() *result.Benchmark {
	r := Example()
	r.Server.Kind, r.Server.Own, r.Server.Image, r.Server.Route, r.Server.MaxmemoryPolicy = "url", false, "", "", ""
	r.NoiseFloor.ServerUS = 0
	r.Notes = []string{"the server keeps no statistics"}
	for i := range r.Runs {
		for j := range r.Runs[i].Rows {
			row := &r.Runs[i].Rows[j]
			row.Open.ServerUSPerCall = nil
			row.Work.Commands, row.Work.NetInPerDecision, row.Work.NetOutPerDecision = nil, nil, nil
			row.Work.Evicted, row.Work.UnexplainedEvalCalls = nil, nil
			for k := range row.Rounds {
				row.Rounds[k].ServerUSPerCall = nil
			}
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
