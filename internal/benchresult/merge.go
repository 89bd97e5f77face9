package benchresult

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"ratelab/internal/message"
	"ratelab/internal/replay"
	"ratelab/internal/result"
)

// MergeError is parts that make no run: of another one, twice there, missing, or at odds with each other.
type MergeError struct{ Err error }

func (e *MergeError) Error() string { return e.Err.Error() }

// Unwrap is what is wrong.
func (e *MergeError) Unwrap() error { return e.Err }

// Merge is the run of which these are the parts. Counts are sums, and a histogram has in each bucket what those of the
// parts have together; what is told by a percentile or a rate is computed of these. It is invalid if one part is. Parts
// that do not make one run are a *MergeError that names one of them.
func Merge(files []PartFile) (*Document, error) {
	parts, err := inOrder(files)
	if err != nil {
		return nil, &MergeError{err}
	}
	d := merged(parts)
	for i := range parts[0].Plays {
		play, err := mergePlay(parts, i, d)
		if err != nil {
			return nil, &MergeError{err}
		}
		d.Runs = append(d.Runs, *play)
	}
	d.Validity.Reasons = append(d.Validity.Reasons, d.nothing()...)
	d.Validity.Valid = len(d.Validity.Reasons) == 0
	return d, nil
}

// inOrder are the parts by their numbers, each of which is there once and belongs to the others.
func inOrder(files []PartFile) ([]PartFile, error) {
	first := files[0]
	parts := make([]PartFile, first.Shard.Of)
	for _, f := range files {
		switch what, theirs, ours := first.differs(f.Part); {
		case what != "":
			return nil, fmt.Errorf("%s: has %s %v, and %s %v; name the shards of one run", message.Path(f.Path), what,
				theirs, message.Path(first.Path), ours)
		case f.Run != first.Run:
			return nil, fmt.Errorf("%s: is of the run %s, and %s of the run %s, which were not played together; name "+
				"the shards of one run", message.Path(f.Path), f.Run, message.Path(first.Path), first.Run)
		case f.Server.name() != first.Server.name():
			return nil, fmt.Errorf("%s: was measured on %s, and %s on %s; name the shards of one run",
				message.Path(f.Path), f.Server.name(), message.Path(first.Path), first.Server.name())
		case f.Partial:
			return nil, fmt.Errorf("%s: shard %v was interrupted; %s", message.Path(f.Path), f.Shard,
				result.BenchShard.Again)
		}
		at := &parts[f.Shard.Number-1]
		if at.Part != nil {
			return nil, fmt.Errorf("%s: is shard %v, as %s is; name each shard once", message.Path(f.Path), f.Shard,
				message.Path(at.Path))
		}
		*at = f
	}
	for i, p := range parts {
		if p.Part == nil {
			return nil, fmt.Errorf("shard %v is missing; name its file, too, or %s",
				replay.Shard{Number: i + 1, Of: first.Shard.Of}, result.BenchShard.Again)
		}
	}
	return parts, nil
}

// name tells a server from another one.
func (s *Server) name() string { return fmt.Sprintf("%s %s (%s)", s.Name, s.Version, s.Kind) }

// merged is all but the scenarios.
func merged(parts []PartFile) *Document {
	first := parts[0]
	d := &Document{Header: first.Header, Server: first.Server}
	d.SchemaVersion, d.Kind = result.Bench.Version, result.Bench.Kind
	d.Settings.Connections *= len(parts)
	d.Validity = Validity{Reasons: []Reason{}}
	d.Notes = []string{fmt.Sprintf("%d processes made the load together, with %s each, and began at one instant of "+
		"the server's clock; the closed loops are not dealt to shards, and left out", len(parts),
		message.Count(first.Settings.Connections, "connection"))}
	end := first.Started
	for _, p := range parts {
		if p.Started.Before(d.Started) {
			d.Started = p.Started
		}
		if e := p.Started.Add(time.Duration(p.TookUS) * time.Microsecond); e.After(end) {
			end = e
		}
	}
	d.TookUS = end.Sub(d.Started).Microseconds()
	for _, p := range parts {
		member := ShardMember{Shard: p.Shard, Started: p.Started, Machine: p.Machine, Generator: p.Generator,
			Offered: p.offered(), Valid: p.Validity.Valid}
		d.Shards = append(d.Shards, member)
		for _, r := range p.Validity.Reasons {
			r.Where = fmt.Sprintf("shard %v: %s", p.Shard, r.Where)
			if r.AtUS != nil {
				at := *r.AtUS + p.Started.Sub(d.Started).Microseconds()
				r.AtUS = &at
			}
			d.Validity.Reasons = append(d.Validity.Reasons, r)
		}
		for _, n := range p.Notes {
			if !slices.Contains(d.Notes, n) {
				d.Notes = append(d.Notes, n)
			}
		}
		if p.Machine != first.Machine {
			n := fmt.Sprintf("shard %v ran on %s, %s", p.Shard, p.Machine.CPU, message.Count(p.Machine.Cores, "core"))
			d.Notes = append(d.Notes, n)
		}
	}
	return d
}

// offered is what became due in all rounds of all rows.
func (p *Part) offered() int64 {
	var sum int64
	for _, play := range p.Plays {
		for _, row := range play.Rows {
			for _, round := range row.Rounds {
				sum += round.Offered
			}
		}
	}
	return sum
}

// mergePlay is one scenario of all parts.
func mergePlay(parts []PartFile, i int, d *Document) (*Play, error) {
	first := &parts[0].Plays[i]
	out := &Play{Scenario: first.Scenario, Question: first.Question, ScenarioSHA256: first.ScenarioSHA256,
		Seed: first.Seed, Limit: first.Limit, DurationUS: first.DurationUS, FromUS: first.FromUS,
		PlayedUS: first.PlayedUS, OnLate: first.OnLate, Notes: slices.Clone(first.Notes)}
	var mine int64
	for _, p := range parts {
		mine += p.Plays[i].Dealt.Mine
	}
	if mine != first.Dealt.Requests {
		return nil, fmt.Errorf("%s: the shards were dealt %d requests of %d", first.Scenario, mine,
			first.Dealt.Requests)
	}
	rule := "their numbers, so that a shard has every " + ordinal(len(parts)) + " one"
	if first.Dealt.ByKey {
		rule = fmt.Sprintf("the hash of their keys, of which there are %d", first.Dealt.Keys)
	}
	out.Notes = append(out.Notes, fmt.Sprintf("%d requests a round are dealt to %d shards by %s", first.Dealt.Requests,
		len(parts), rule))
	for k := range first.Rows {
		row, err := mergeRow(parts, i, k, d)
		if err != nil {
			return nil, err
		}
		out.Rows = append(out.Rows, *row)
	}
	return out, nil
}

func ordinal(n int) string {
	switch {
	case n%100 >= 11 && n%100 <= 13:
	case n%10 == 1:
		return fmt.Sprintf("%dst", n)
	case n%10 == 2:
		return fmt.Sprintf("%dnd", n)
	case n%10 == 3:
		return fmt.Sprintf("%drd", n)
	}
	return fmt.Sprintf("%dth", n)
}

// mergeRow is one algorithm of all parts.
func mergeRow(parts []PartFile, i, k int, d *Document) (*Limiter, error) {
	play, first := &parts[0].Plays[i], &parts[0].Plays[i].Rows[k]
	out := &Limiter{Identity: first.Identity, Exact: first.Exact, Course: first.Course,
		Open: Open{Latency: newOutcomes(), Intervals: []Interval{}}}
	if first.Work != nil {
		out.Work = *first.Work
	}
	o := &out.Open
	for _, p := range parts {
		row := &p.Plays[i].Rows[k]
		o.Intervals = mergeIntervals(o.Intervals, row.Intervals)
		o.Health.worst(row.Health)
	}
	for n := range first.Rounds {
		round := mergeRound(parts, i, k, n, d)
		if round.offered != play.Dealt.Requests {
			return nil, fmt.Errorf("%s %s round %d: %d requests became due of %d", play.Scenario, first.Algorithm, n+1,
				round.offered, play.Dealt.Requests)
		}
		o.Offered += round.offered
		o.Sent += round.sent
		o.Dropped += round.dropped
		o.Accepted += round.Accepted
		o.Rejected += round.Rejected
		o.IntendedPerS += round.intended / float64(len(first.Rounds))
		o.AchievedPerS += round.achieved / float64(len(first.Rounds))
		o.Latency.add(round.latency)
		out.Rounds = append(out.Rounds, round.OpenRound)
	}
	return out, nil
}

// mergedRound is a round of all parts, and what its row sums up.
type mergedRound struct {
	OpenRound
	offered, sent, dropped int64
	intended, achieved     float64
	latency                Outcomes
}

func mergeRound(parts []PartFile, i, k, n int, d *Document) *mergedRound {
	first := &parts[0].Plays[i].Rows[k].Rounds[n]
	m := &mergedRound{latency: newOutcomes(), OpenRound: OpenRound{Round: first.Round, Position: first.Position,
		DiffersFromVirtual: first.DiffersFromVirtual, OutsideLag: first.OutsideLag}}
	var due, handed []int64
	for j, p := range parts {
		r := &p.Plays[i].Rows[k].Rounds[n]
		started := r.StartedUS + p.Started.Sub(d.Started).Microseconds()
		if j == 0 || started < m.StartedUS {
			m.StartedUS = started
		}
		m.offered += r.Offered
		m.sent += r.Sent
		m.dropped += r.Dropped
		m.Accepted += r.Accepted
		m.Rejected += r.Rejected
		m.latency.add(r.Latency)
		if r.Offered > 0 {
			due, handed = append(due, r.FirstDueUS, r.LastDueUS), append(handed, r.FirstHandedUS, r.LastHandedUS)
		}
	}
	m.intended, m.achieved = rate(m.offered, due), rate(m.offered, handed)
	m.percentiles(&m.latency)
	return m
}

// percentiles are those of accepted and rejected requests together.
func (r *OpenRound) percentiles(o *Outcomes) {
	both := func(a, b *Histogram) *Histogram {
		sum := NewHistogram()
		sum.Merge(a.Histogram)
		sum.Merge(b.Histogram)
		return sum
	}
	response := both(o.Accepted.Response, o.Rejected.Response)
	r.ServiceP50US = float64(both(o.Accepted.Service, o.Rejected.Service).ValueAtPercentile(50))
	r.ResponseP50US = float64(response.ValueAtPercentile(50))
	r.ResponseP99US = float64(response.ValueAtPercentile(99))
	r.LagP99US = float64(both(o.Accepted.Lag, o.Rejected.Lag).ValueAtPercentile(99))
}

// rate is n events per second from the first instant to the last one, the gaps between them counted; 0 where there is
// no gap.
func rate(n int64, instantsUS []int64) float64 {
	if n < 2 {
		return 0
	}
	gap := slices.Max(instantsUS) - slices.Min(instantsUS)
	if gap <= 0 {
		return 0
	}
	return float64(n-1) / (float64(gap) / 1e6)
}

func newOutcomes() Outcomes {
	empty := func() Durations {
		return Durations{Lag: NewHistogram(), Wait: NewHistogram(), Service: NewHistogram(), Response: NewHistogram()}
	}
	return Outcomes{Accepted: empty(), Rejected: empty()}
}

// add adds the counts of other's histograms.
func (o *Outcomes) add(other Outcomes) {
	ours, theirs := o.verdicts(), other.verdicts()
	for v := range ours {
		from := theirs[v].stretches()
		for s, into := range ours[v].stretches() {
			into.Merge(from[s].Histogram.Histogram)
		}
	}
}

// mergeIntervals adds intervals to those of the same time, in order.
func mergeIntervals(into, from []Interval) []Interval {
	sum := func(a, b *Histogram) *Histogram {
		if a.Count() == 0 && b.Count() == 0 {
			return nil
		}
		h := NewHistogram()
		for _, one := range []*Histogram{a, b} {
			if one.Count() > 0 {
				h.Merge(one.Histogram)
			}
		}
		return h
	}
	for _, interval := range from {
		at, found := slices.BinarySearchFunc(into, interval.StartUS, func(i Interval, startUS int64) int {
			return cmp.Compare(i.StartUS, startUS)
		})
		if !found {
			into = slices.Insert(into, at, Interval{StartUS: interval.StartUS, WidthUS: interval.WidthUS})
		}
		into[at].Accepted = sum(into[at].Accepted, interval.Accepted)
		into[at].Rejected = sum(into[at].Rejected, interval.Rejected)
	}
	return into
}

// worst takes what is worse in o.
func (h *Health) worst(o Health) {
	h.StallMaxUS = max(h.StallMaxUS, o.StallMaxUS)
	h.GCPauseP999US = max(h.GCPauseP999US, o.GCPauseP999US)
	h.GCPauseMaxUS = max(h.GCPauseMaxUS, o.GCPauseMaxUS)
	h.SchedulerP99US = max(h.SchedulerP99US, o.SchedulerP99US)
	h.CPUShare = max(h.CPUShare, o.CPUShare)
	h.PoolWaits = max(h.PoolWaits, o.PoolWaits)
	h.Overflow = max(h.Overflow, o.Overflow)
	h.ClockDivergedUS = max(h.ClockDivergedUS, o.ClockDivergedUS)
	if o.SilenceMaxUS != nil && (h.SilenceMaxUS == nil || *h.SilenceMaxUS < *o.SilenceMaxUS) {
		h.SilenceMaxUS = o.SilenceMaxUS
	}
}

// nothing is a reason for each scenario of which no shard sent anything.
func (d *Document) nothing() []Reason {
	var all []Reason
	for i := range d.Runs {
		if p := &d.Runs[i]; len(p.Rows) > 0 && p.Rows[0].Open.Sent == 0 {
			all = append(all, Reason{Code: "nothing", Where: p.Scenario, Statement: "no request was sent: nothing is " +
				"due in the part of the scenario that is played; another --from or a longer --for plays more of it"})
		}
	}
	return all
}
