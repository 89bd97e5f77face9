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
		for k := range l.Rounds {
			l.Rounds[k].ServerUSPerCall = nil
		}
	}
	return r
}
