package bench

import (
	"maps"
	"slices"

	"ratelab/internal/benchresult"
	"ratelab/internal/lineup"
	"ratelab/internal/load"
	"ratelab/internal/play"
	"ratelab/internal/script"
)

// row is what all rounds found of one entry under one scenario.
type row struct {
	open      benchresult.Open
	rounds    []benchresult.OpenRound
	intervals []*load.Interval // of all rounds; still sparse
	totals    totals
	serverUS  []float64
	course    *benchresult.Course // nil: nothing was played
	first     *play.Difference    // that lag does not explain
}

func newRow() *row { return &row{open: benchresult.Open{Latency: outcomes()}} }

// totals are sums over measurements, for what is told by the decision.
type totals struct {
	sent                 int64
	known                int64 // decisions of measurements whose server statistics are known
	commands             map[string]int64
	evicted, unexplained int64
}

func (t *totals) add(r *load.Result, a *account) {
	t.sent += r.Sent
	if !a.stats.Known {
		return
	}
	t.known += r.Sent
	t.evicted += a.stats.EvictedKeys
	t.unexplained += a.unexplained(r.Sent)
	if t.commands == nil {
		t.commands = map[string]int64{}
	}
	for name, c := range a.stats.Commands {
		if !slices.Contains(harness, name) {
			t.commands[name] += c.Calls
		}
	}
}

// harness are the commands that come from a client while something is measured: the calls themselves, the readings of
// the counters, and the vigil's questions.
var harness = []string{"evalsha", "info", "ping"}

// work adds what was counted on the wall clock.
func (t *totals) work(w *benchresult.Work) {
	if t.known == 0 {
		return
	}
	w.Evicted, w.UnexplainedEvalCalls = &t.evicted, &t.unexplained
	w.Commands = map[string]float64{}
	for name, n := range t.commands {
		w.Commands[name] = float64(n) / float64(t.known)
	}
}

// add takes one round.
func (r *row) add(number int, o *openRound) {
	r.open.Offered += o.Offered
	r.open.Sent += o.Sent
	r.open.Dropped += o.Dropped
	r.open.Accepted += o.Accepted
	r.open.Rejected += o.Rejected
	r.open.IntendedPerS += o.IntendedPerSecond // the mean, once the rounds are counted
	r.open.AchievedPerS += o.AchievedPerSecond
	addHealth(&r.open.Health, o)
	merge(&r.open.Latency, o.OfAccepted, o.OfRejected)
	r.intervals = append(r.intervals, o.Intervals...)
	r.rounds = append(r.rounds, o.round(number))
	r.totals.add(&o.Result, &o.account)
	r.course = addCourse(r.course, o.course)
	if r.first == nil && o.differs != nil && o.differs.Unexplained > 0 {
		r.first = o.differs.First
	}
	if us := o.serverUS(); us != nil {
		r.serverUS = append(r.serverUS, *us)
	}
}

// record writes the row down.
func (r *row) record(c *lineup.Entry, e *virtualResult, t *callCost) benchresult.Limiter {
	out := benchresult.Limiter{Identity: identity(c), Open: r.open, Rounds: r.rounds}
	if e != nil {
		out.Exact, out.Work = &e.result, work(*e)
	}
	t.record(&out.Work)
	r.totals.work(&out.Work)
	if n := float64(len(r.rounds)); n > 0 {
		out.Open.IntendedPerS /= n
		out.Open.AchievedPerS /= n
	}
	out.Open.ServerUSPerCall = median(r.serverUS)
	out.Open.Intervals, out.Course = series(r.intervals), r.course
	return out
}

func identity(c *lineup.Entry) benchresult.Identity {
	return benchresult.Identity{Algorithm: c.Label, ScriptSHA1: script.SHA1(c.Program.Source), Parameters: c.Parameters}
}

// series merges the intervals of all rounds, in order.
func series(all []*load.Interval) []benchresult.Interval {
	merged := map[int64]*benchresult.Interval{}
	for _, i := range all {
		m := merged[i.StartUS]
		if m == nil {
			m = &benchresult.Interval{StartUS: i.StartUS, WidthUS: i.WidthUS}
			merged[i.StartUS] = m
		}
		m.Accepted, m.Rejected = withResponses(m.Accepted, i.OfAccepted()), withResponses(m.Rejected, i.OfRejected())
	}
	list := make([]benchresult.Interval, 0, len(merged))
	for _, start := range slices.Sorted(maps.Keys(merged)) {
		list = append(list, *merged[start])
	}
	return list
}

// withResponses adds response times; of nothing there is no histogram.
func withResponses(into *benchresult.Histogram, d load.Durations) *benchresult.Histogram {
	if d.Response.TotalCount() == 0 {
		return into
	}
	if into == nil {
		into = benchresult.NewHistogram()
	}
	into.Merge(d.Response)
	return into
}

func outcomes() benchresult.Outcomes {
	empty := func() benchresult.Durations {
		return benchresult.Durations{
			Lag: benchresult.NewHistogram(), Wait: benchresult.NewHistogram(), Service: benchresult.NewHistogram(),
			Response: benchresult.NewHistogram(),
		}
	}
	return benchresult.Outcomes{Accepted: empty(), Rejected: empty()}
}

func merge(into *benchresult.Outcomes, accepted, rejected load.Durations) {
	for _, part := range []struct {
		into benchresult.Durations
		from load.Durations
	}{{into.Accepted, accepted}, {into.Rejected, rejected}} {
		part.into.Lag.Merge(part.from.Lag)
		part.into.Wait.Merge(part.from.Wait)
		part.into.Service.Merge(part.from.Service)
		part.into.Response.Merge(part.from.Response)
	}
}

// addHealth keeps the worst.
func addHealth(h *benchresult.Health, o *openRound) {
	us := func(d int64) float64 { return float64(d) / 1000 }
	h.StallMaxUS = max(h.StallMaxUS, us(o.Health.LongestStall.Nanoseconds()))
	h.GCPauseP999US = max(h.GCPauseP999US, us(o.Health.GCPauseP999.Nanoseconds()))
	h.GCPauseMaxUS = max(h.GCPauseMaxUS, us(o.Health.GCPauseMax.Nanoseconds()))
	h.SchedulerP99US = max(h.SchedulerP99US, us(o.Health.SchedLatencyP99.Nanoseconds()))
	if share := o.Health.CPUShare(); share >= 0 {
		h.CPUShare = max(h.CPUShare, share*float64(o.Health.Cores)) // of one core
	}
	h.PoolWaits = max(h.PoolWaits, o.PoolWaits)
	h.Overflow = max(h.Overflow, o.Overflow)
	if d := o.Silence.Lasted.Microseconds(); d > 0 {
		h.SilenceMaxUS = pointer(max(float64(d), value(h.SilenceMaxUS)))
	}
	h.ClockDivergedUS = max(h.ClockDivergedUS, us(o.Health.ClockStep.Abs().Nanoseconds()))
}

// value is what p points to, 0 of nothing.
func value(p *float64) float64 {
	if p == nil {
		return 0
	}
	return *p
}
