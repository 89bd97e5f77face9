package compare

import (
	"fmt"
	"slices"

	"ratelab/internal/benchresult"
	"ratelab/internal/message"
)

// Files compares two results: decisions and work of what both hold, and the timings if they were measured alike.
// Rounds of two runs are no pairs, so the test is Mann and Whitney's, two-sided, and the control must be as fast in
// the one run as in the other. A slower client median is inconclusive at most: a run cannot confirm itself.
//
// Timings of other machines, servers, transports or settings, or of an interrupted run, are noted and not judged. The
// error is a *Refusal: the results have nothing in common, or answer different questions.
func Files(older, younger *benchresult.Document) (*Report, error) {
	if err := checkComparable(older, younger); err != nil {
		return nil, err
	}
	r := newReport(WayFiles)
	r.older, r.younger = older, younger
	r.Base = Party{"old", older.Tool, older.Started, older.Server.String()}
	r.Head = Party{"new", younger.Tool, younger.Started, younger.Server.String()}
	r.Notes = append(r.Notes, missing(older, younger)...)
	decisions, work := newDecisions(), newWork()
	for _, run := range commonRuns(older, younger) {
		for _, rows := range common(run[0].Rows, run[1].Rows, rowLabel) {
			compareRows(decisions, work, run[0].Scenario, rows)
		}
	}
	for _, costs := range common(older.Costs, younger.Costs, costLabel) {
		compareCosts(work, costs, older.Settings.FillLimit == younger.Settings.FillLimit)
	}
	r.Gates = []Gate{decisions.gate(), work.gate()}
	two := &files{older: older, younger: younger, same: older.Started.Equal(younger.Started) && older.TookUS == younger.TookUS}
	if two.same {
		r.Notes = append(r.Notes, "both files hold the same run")
	}
	for _, m := range metrics() {
		r.Gates = append(r.Gates, two.gate(m))
	}
	r.conclude()
	return r, nil
}

func compareRows(decisions, work *counted, scenario string, rows [2]*benchresult.Limiter) {
	base, head := rows[0], rows[1]
	if base.Exact != nil && head.Exact != nil {
		decisions.compareExact(base.Algorithm, scenario, base.Exact, head.Exact)
	}
	work.compare(base.Algorithm, scenario, &base.Work, &head.Work)
}

// compareCosts compares what the closed loop counted: allocations by mix, and memory by fill.
func compareCosts(work *counted, costs [2]*benchresult.Cost, sameFill bool) {
	base, head := costs[0], costs[1]
	for _, mixes := range common(base.Mixes, head.Mixes, func(m *benchresult.Mix) string { return m.Mix }) {
		was := named{"client_allocations_per_call", optional(mixes[0].AllocationsPerCall), WorkSlack}
		is := named{"client_allocations_per_call", optional(mixes[1].AllocationsPerCall), WorkSlack}
		work.compareFigure(base.Algorithm, mixes[0].Mix, was, is)
	}
	if !sameFill {
		return
	}
	entries := func(f *benchresult.Fill) string { return fmt.Sprint(f.Entries) }
	for _, fills := range common(base.Memory, head.Memory, entries) {
		where := "after " + message.Count(int(fills[0].Entries), "request")
		was, is := named{"bytes_of_one_client", number(float64(fills[0].Bytes)), WorkSlack}, number(float64(fills[1].Bytes))
		work.compareFigure(base.Algorithm, where, was, named{was.name, is, WorkSlack})
	}
}

// files are two results whose timings are to be compared.
type files struct {
	older, younger *benchresult.Document
	same           bool // one run, twice
}

// gate compares one metric: of the closed loop by mix, of the open loop by scenario.
func (f *files) gate(m *metric) Gate {
	var trials []*trial
	add := func(algorithm, where, measure string, values, controls [2][]float64) {
		if algorithm != controlName && len(values[0])+len(values[1]) > 0 {
			trials = append(trials, f.trial(m, Judgement{Algorithm: algorithm, Where: where, Measure: measure}, values, controls))
		}
	}
	for _, costs := range common(f.older.Costs, f.younger.Costs, costLabel) {
		for _, mix := range benchresult.Mixes() {
			values := [2][]float64{samples(costs[0], mix, m), samples(costs[1], mix, m)}
			add(costs[0].Algorithm, mix, m.name, values, f.costControl(mix, m))
		}
	}
	for _, run := range commonRuns(f.older, f.younger) {
		for _, rows := range common(run[0].Rows, run[1].Rows, rowLabel) {
			values := [2][]float64{rounds(rows[0].Rounds, m), rounds(rows[1].Rounds, m)}
			add(rows[0].Algorithm, run[0].Scenario, m.inRound, values, runControl(run, m))
		}
	}
	decide(trials)
	if m.gate == GateClientP50 {
		for _, t := range trials {
			if t.row.Outcome == Regression {
				t.row.Outcome = Inconclusive
				t.block(Inconclusive, "slower, and two files cannot confirm it", "compare both versions in one run, with --base and --head")
			}
		}
	}
	return gateOf(m, trials)
}

// trial is one comparison, not yet judged.
func (f *files) trial(m *metric, row Judgement, values, controls [2][]float64) *trial {
	timing := unpaired(values, controls)
	timing.NoiseFloor = f.floor(m)
	row.Timing = timing
	t := &trial{row: row}
	for i, v := range []*Value{&t.row.Base, &t.row.Head} {
		if len(values[i]) > 0 {
			*v = number(benchresult.Median(values[i]))
		}
	}
	switch {
	case m.gate == GateClientP99:
		t.block(Noted, "shown and not judged", "")
	case f.same && slices.Equal(values[0], values[1]):
		t.block(Same, "the same measurements", "")
	case len(values[0]) == 0 || len(values[1]) == 0:
		t.block(Noted, "measured on one side only", "")
	}
	t.block(Noted, timingRefusal(f.older, f.younger), "")
	for _, h := range []*benchresult.Header{&f.older.Header, &f.younger.Header} {
		reason, remedy := headerObstacle(h)
		t.block(Inconclusive, reason, remedy)
	}
	if timing.Samples < MinPairs {
		t.block(Inconclusive, fmt.Sprintf("rounds: %d, want at least %d", timing.Samples, MinPairs),
			fmt.Sprintf("measure with --rounds %d, or compare both versions in one run, with --base and --head", MinPairs))
	}
	if !timing.Control.Steady {
		t.block(Inconclusive, timing.Control.Reason, quieter+", or compare both versions in one run, with --base and --head")
	}
	return t
}

// floor is the greater noise floor of the two runs.
func (f *files) floor(m *metric) *float64 {
	if greater := max(m.floor(&f.older.NoiseFloor), m.floor(&f.younger.NoiseFloor)); greater > 0 {
		return &greater
	}
	return nil
}
