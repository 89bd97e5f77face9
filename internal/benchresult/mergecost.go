package benchresult

import "slices"

// weights are how much each of two averages is worth.
type weights struct{ a, b float64 }

// mean is the weighted one.
func (w weights) mean(a, b float64) float64 {
	if w.a+w.b == 0 {
		return (a + b) / 2
	}
	return (a*w.a + b*w.b) / (w.a + w.b)
}

// optional is the mean of what is there.
func (w weights) optional(a, b *float64) *float64 {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	m := w.mean(*a, *b)
	return &m
}

// mergeWork keeps what was counted in virtual time, which is the same in both, and averages what was counted on the
// wall clock.
func mergeWork(a, b *Work, w weights) Work {
	work := *a
	work.NetInPerDecision = w.optional(a.NetInPerDecision, b.NetInPerDecision)
	work.NetOutPerDecision = w.optional(a.NetOutPerDecision, b.NetOutPerDecision)
	work.AllocationsPerCall = w.optional(a.AllocationsPerCall, b.AllocationsPerCall)
	work.Evicted = addOptional(a.Evicted, b.Evicted)
	work.UnexplainedEvalCalls = addOptional(a.UnexplainedEvalCalls, b.UnexplainedEvalCalls)
	work.Commands = map[string]float64{}
	for _, counts := range []map[string]float64{a.Commands, b.Commands} {
		for name := range counts {
			work.Commands[name] = w.mean(a.Commands[name], b.Commands[name])
		}
	}
	return work
}

func addOptional(a, b *int64) *int64 {
	if a == nil || b == nil {
		return nil
	}
	sum := *a + *b
	return &sum
}

func (m *merger) cost(a, b *Cost) Cost {
	cost := Cost{Identity: a.Identity, Memory: a.Memory}
	for i := range a.Mixes {
		cost.Mixes = append(cost.Mixes, m.mix(&a.Mixes[i], &b.Mixes[i]))
	}
	for i := range a.Sweep {
		cost.Sweep = append(cost.Sweep, mergeLevels(&a.Sweep[i], &b.Sweep[i]))
	}
	return cost
}

// mix joins two; the ratio to the control is set when the control is known.
func (m *merger) mix(a, b *Mix) Mix {
	w := weights{float64(a.Accepted + a.Rejected), float64(b.Accepted + b.Rejected)}
	mix := Mix{
		Mix: a.Mix, Accepted: a.Accepted + b.Accepted, Rejected: a.Rejected + b.Rejected,
		AllocationsPerCall: w.optional(a.AllocationsPerCall, b.AllocationsPerCall), Service: mergeHistograms(a.Service, b.Service),
		Samples: slices.Clone(a.Samples),
	}
	for _, s := range b.Samples {
		s.Round += m.rounds
		s.StartedUS += m.laterUS
		mix.Samples = append(mix.Samples, s)
	}
	var throughput []float64
	var server []*float64
	for _, s := range mix.Samples {
		throughput, server = append(throughput, s.ThroughputPerS), append(server, s.ServerUSPerCall)
	}
	mix.ThroughputPerS, mix.ServerUSPerCall = Median(throughput), medianOf(server)
	return mix
}

// mergeLevels takes both together: all calls over the time that they took.
func mergeLevels(a, b *Level) Level {
	calls := weights{float64(a.Service.count()), float64(b.Service.count())}
	level := Level{
		Connections: a.Connections, ServerUSPerCall: calls.optional(a.ServerUSPerCall, b.ServerUSPerCall),
		Service: mergeHistograms(a.Service, b.Service), ThroughputPerS: calls.mean(a.ThroughputPerS, b.ThroughputPerS),
	}
	if calls.a > 0 && calls.b > 0 && a.ThroughputPerS > 0 && b.ThroughputPerS > 0 {
		level.ThroughputPerS = (calls.a + calls.b) / (calls.a/a.ThroughputPerS + calls.b/b.ThroughputPerS)
	}
	return level
}
