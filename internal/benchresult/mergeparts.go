package benchresult

import "slices"

// merger joins the parts of two results that were measured alike, a the earlier.
type merger struct {
	rounds  int   // of a, after which those of b follow
	laterUS int64 // from a's start to b's
}

func (m *merger) header(a, b *Header) Header {
	h := *a
	h.TookUS += b.TookUS
	h.Partial = a.Partial || b.Partial
	h.Settings.Rounds += b.Settings.Rounds
	h.Settings.RepeatedRound += b.Settings.RepeatedRound
	h.Validity = Validity{Valid: a.Validity.Valid && b.Validity.Valid, Reasons: slices.Concat(a.Validity.Reasons, m.later(b.Validity.Reasons))}
	h.Notes = joinNotes(a.Notes, b.Notes)
	return h
}

// later are b's reasons, by the joined result's start.
func (m *merger) later(reasons []Reason) []Reason {
	reasons = slices.Clone(reasons)
	for i, r := range reasons {
		if r.AtUS != nil {
			at := *r.AtUS + m.laterUS
			reasons[i].AtUS = &at
		}
	}
	return reasons
}

// joinNotes has each note once.
func joinNotes(a, b []string) []string {
	notes := slices.Clone(a)
	for _, n := range b {
		if !slices.Contains(notes, n) {
			notes = append(notes, n)
		}
	}
	return notes
}

func (m *merger) run(a, b *Play) Play {
	run := *a
	run.Rows, run.Notes = nil, joinNotes(a.Notes, b.Notes)
	for i := range a.Rows {
		run.Rows = append(run.Rows, m.row(&a.Rows[i], &b.Rows[i]))
	}
	return run
}

func (m *merger) row(a, b *Limiter) Limiter {
	row := *a
	row.Rounds = slices.Clone(a.Rounds)
	var server []*float64
	for _, round := range b.Rounds {
		round.Round += m.rounds
		round.StartedUS += m.laterUS
		row.Rounds = append(row.Rounds, round)
	}
	for _, round := range row.Rounds {
		server = append(server, round.ServerUSPerCall)
	}
	row.Open = mergeOpen(&a.Open, &b.Open)
	row.Open.ServerUSPerCall = medianOf(server)
	row.Work = mergeWork(&a.Work, &b.Work, weights{float64(a.Open.Sent), float64(b.Open.Sent)})
	return row
}

func mergeOpen(a, b *Open) Open {
	w := weights{float64(a.Offered), float64(b.Offered)}
	return Open{
		Offered: a.Offered + b.Offered, Sent: a.Sent + b.Sent, Dropped: a.Dropped + b.Dropped,
		Accepted: a.Accepted + b.Accepted, Rejected: a.Rejected + b.Rejected,
		IntendedPerS: w.mean(a.IntendedPerS, b.IntendedPerS), AchievedPerS: w.mean(a.AchievedPerS, b.AchievedPerS),
		Latency: mergeOutcomes(a.Latency, b.Latency), Intervals: mergeIntervals(a.Intervals, b.Intervals), Health: mergeHealth(a.Health, b.Health),
	}
}

func mergeOutcomes(a, b Outcomes) Outcomes {
	return Outcomes{Accepted: mergeDurations(a.Accepted, b.Accepted), Rejected: mergeDurations(a.Rejected, b.Rejected)}
}

func mergeDurations(a, b Durations) Durations {
	return Durations{
		Lag: mergeHistograms(a.Lag, b.Lag), Wait: mergeHistograms(a.Wait, b.Wait),
		Service: mergeHistograms(a.Service, b.Service), Response: mergeHistograms(a.Response, b.Response),
	}
}

// mergeHistograms is a new one with the full range: those given may have less.
func mergeHistograms(all ...*Histogram) *Histogram {
	sum := NewHistogram()
	for _, h := range all {
		if h.count() > 0 {
			sum.Merge(h.Histogram)
		}
	}
	return sum
}

// mergeIntervals joins those that begin together; an interval in which only one run sent something stays as it is.
func mergeIntervals(a, b []Interval) []Interval {
	merged := slices.Clone(a)
	for _, other := range b {
		at := slices.IndexFunc(merged, func(i Interval) bool { return i.StartUS == other.StartUS && i.WidthUS == other.WidthUS })
		if at < 0 {
			merged = append(merged, other)
			continue
		}
		merged[at].Latency = mergeOutcomes(merged[at].Latency, other.Latency)
	}
	slices.SortStableFunc(merged, func(x, y Interval) int { return int(min(max(x.StartUS-y.StartUS, -1), 1)) })
	return merged
}

// greater is the greater of two figures, of which none, one or both may be there.
func greater(a, b *float64) *float64 {
	if a == nil || b != nil && *b > *a {
		return b
	}
	return a
}

// mergeHealth takes the worst of each.
func mergeHealth(a, b Health) Health {
	return Health{
		StallMaxUS: max(a.StallMaxUS, b.StallMaxUS), GCPauseP999US: max(a.GCPauseP999US, b.GCPauseP999US),
		GCPauseMaxUS: max(a.GCPauseMaxUS, b.GCPauseMaxUS), SchedulerP99US: max(a.SchedulerP99US, b.SchedulerP99US),
		CPUShare: max(a.CPUShare, b.CPUShare), PoolWaits: max(a.PoolWaits, b.PoolWaits), Overflow: max(a.Overflow, b.Overflow),
		ClockDivergedUS: max(a.ClockDivergedUS, b.ClockDivergedUS), SilenceMaxUS: greater(a.SilenceMaxUS, b.SilenceMaxUS),
	}
}
