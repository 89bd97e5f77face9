// Package benchmarktest has made-up documents for tests. They are complete and the same on every call. Their sums are
// consistent, as in a measured document. Their durations are drawn from seeded log-normal distributions.
package benchmarktest

import (
	"sync"
	"time"

	"ratelab/internal/result"
)

const (
	rounds      = 5
	connections = 16
)

// Example returns a valid result: seven algorithms, two scenarios, five rounds, all fields filled. Callers may change
// the document, but not the objects behind pointers, such as histograms. Those are shared, because they are most of the
// document.
func Example() *result.Document { return result.WithoutNulls(made()) }

// Small returns a part of the example, for tests that would take long with all of it.
func Small() *result.Document {
	r := Example()
	r.Runs, r.Latency = r.Runs[:1], r.Latency[:1]
	r.Runs[0].Results = r.Runs[0].Results[:1]
	r.Latency[0].Intervals = nil
	return r
}

var made = sync.OnceValue(func() *result.Document {
	r := header()
	for _, s := range situations() {
		run, latency := s.run()
		r.Runs, r.Latency = append(r.Runs, run), append(r.Latency, latency...)
	}
	r.NoiseFloor = result.NoiseFloorOf(r.Latency)
	return r
})

// Invalid returns Example after a stall of the generator and a later interrupt.
func Invalid() *result.Document {
	r := Example()
	r.Partial = true
	r.Validity = result.Validity{Reasons: []result.Reason{{
		Code: "stall", Where: "ten-times-over gcra round 3",
		Statement: "the generator stood still for 203 ms; at most 10 ms are allowed",
	}, {
		Code: "lag", Where: "retry-storm sliding-window-log round 3",
		Statement: "the pacer's lag p99 is 14200 µs; at most 1000 µs are allowed",
	}}}
	return r
}

// Shared returns Example on a server that keeps no statistics, so that all figures from them are absent.
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

func header() *result.Document {
	d := result.New(result.OfBench, "v0.0.0-example")
	d.Notes = []string{"round 2 of ten-times-over was measured again: the generator stood still for 31 ms"}
	d.Measurement = &result.Measurement{
		Started: time.Date(2024, time.February, 29, 13, 37, 0, 0, time.UTC),
		TookUS:  118_402_117,
		Machine: result.Machine{
			OS: "linux", Architecture: "amd64", Kernel: "6.1.0-18-amd64", CPU: "Example Processor " +
				"2.40GHz", Cores: 2, Go: "go1.26.0",
		},
		Generator: result.Generator{Pacer: "nanosleep, timer slack 1 ns", GOMAXPROCS: 2, GOGC: 400},
		Settings:  result.Settings{Rounds: rounds, WarmUpUS: 200_000, Connections: connections, Repeated: 1},
		Validity:  result.Validity{Valid: true, Reasons: []result.Reason{}},
		Server:    server(),
	}
	return d
}

func server() result.BenchServer {
	return result.BenchServer{
		Server: result.Server{Kind: "container", Name: "redis", Version: "8.0.3", Transport: "tcp"},
		Route:  "host network", Own: true, Image: "redis:8.0", MaxmemoryPolicy: "noeviction",
	}
}
