package benchmarktest

import (
	"math"

	"ratelab/internal/result"
)

// fills are the entries of the memory measurements.
var fills = []int64{1, 10, 100, 1_000, 10_000}

func costs() []result.Cost {
	var list []result.Cost
	control := map[string][]result.Sample{}
	for _, p := range profiles() {
		cost := result.Cost{Identity: p.identity(), Sweep: sweep(&p), Memory: []result.Fill{}}
		for _, name := range result.Mixes() {
			mix := mix(&p, name)
			if p.isControl() {
				control[name] = mix.Samples
			}
			mix.RatioToControl = ratio(mix.Samples, control[name])
			cost.Mixes = append(cost.Mixes, mix)
		}
		for _, n := range fills {
			if p.bytes != nil {
				cost.Memory = append(cost.Memory, result.Fill{Entries: n, Bytes: p.bytes(n), Keys: 1})
			}
		}
		list = append(list, cost)
	}
	return list
}

func mix(p *profile, name string) result.Mix {
	d := newDraw(name + p.label)
	acceptedShare := map[string]float64{result.MixAccepted: 1, result.MixHalf: 0.5}[name]
	if p.isControl() {
		acceptedShare = 1
	}
	serverUS := acceptedShare*p.acceptedUS + (1-acceptedShare)*p.rejectedUS
	m := result.Mix{Mix: name, Service: result.NewHistogram(), AllocationsPerCall: pointer(11.0)}
	var throughput, server []float64
	for n := 1; n <= rounds; n++ {
		s := sample(p, d, n, serverUS, acceptedShare, m.Service)
		m.Accepted += s.Accepted
		m.Rejected += s.Calls - s.Accepted
		m.Samples = append(m.Samples, s)
		throughput, server = append(throughput, s.ThroughputPerS), append(server, *s.ServerUSPerCall)
	}
	m.ThroughputPerS, m.ServerUSPerCall = median(throughput), pointer(median(server))
	return m
}

// sample is half a second; to spare the tests' time it counts a tenth of the calls that its throughput says.
func sample(p *profile, d draw, n int, serverUS, acceptedShare float64,
	into *result.Histogram) result.Sample {
	throughput := *d.near(p.throughput * (p.acceptedUS + 10) / (serverUS + 10))
	own := result.NewHistogram()
	calls := int64(throughput / 20)
	for range calls {
		own.RecordValue(d.around(connections*1e6/throughput, 0.24))
	}
	into.Merge(own.Histogram)
	return result.Sample{
		Round: n, StartedUS: int64(n-1)*23_000_000 + int64(position(p, n))*3_100_000 + 2_200_000, Calls: calls,
		Accepted: int64(math.Round(float64(calls) * acceptedShare)), ThroughputPerS: throughput,
		ServerUSPerCall: d.near(serverUS),
		ServiceP50US:    float64(own.ValueAtPercentile(50)), ServiceP99US: float64(own.ValueAtPercentile(99)),
	}
}

// ratio is the median of the rounds' own ratios.
func ratio(samples, control []result.Sample) *float64 {
	var ratios []float64
	for i := range samples {
		ratios = append(ratios, *samples[i].ServerUSPerCall / *control[i].ServerUSPerCall)
	}
	return pointer(median(ratios))
}

// sweep saturates at about 16 connections.
func sweep(p *profile) []result.Level {
	d := newDraw("sweep" + p.label)
	var levels []result.Level
	for n := 1; n <= 64; n *= 2 {
		throughput := *d.near(p.throughput * 1.06 * float64(n) / (float64(n) + 2.6))
		level := result.Level{Connections: n, ThroughputPerS: throughput,
			ServerUSPerCall: d.near((p.acceptedUS + p.rejectedUS) / 2), Service: result.NewHistogram()}
		for range 2_000 {
			level.Service.RecordValue(d.around(float64(n)*1e6/throughput, 0.24))
		}
		levels = append(levels, level)
	}
	return levels
}
