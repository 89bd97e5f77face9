package bench

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"ratelab/internal/benchresult"
	"ratelab/internal/limit"
	"ratelab/internal/load"
	"ratelab/internal/result"
	"ratelab/internal/scenario"
)

// keepOpen takes what a finished round found of a scenario.
func (r *run) keepOpen(scenario int, d *round) {
	for k, o := range d.open {
		r.rows[scenario][k].add(d.number, o)
	}
	r.reasons = append(r.reasons, d.reasons...)
}

// keepClosed takes what a finished round found in closed loops.
func (r *run) keepClosed(d *round) {
	for m, mix := range benchresult.Mixes() {
		for k, s := range d.closed[m] {
			r.costs[k].mixes[mix].add(d.number, s)
		}
	}
	r.reasons = append(r.reasons, d.reasons...)
}

// document writes everything down.
func (r *run) document(ctx context.Context) *benchresult.Document {
	d := &benchresult.Document{Header: r.header(result.Bench.Kind, r.Version), Server: describe(ctx, r.server, r.spec)}
	d.Settings = r.settings()
	d.Settings.RepeatedRound = r.repeated
	if r.repeated > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("%d measurements were made again: %s was at fault", r.repeated,
			benchresult.Culprit(r.blamed)))
	}
	d.Partial = r.partial
	for i, p := range r.runs {
		d.Runs = append(d.Runs, r.scenarioRun(i, p))
	}
	for i, c := range r.plan.costs {
		d.Costs = append(d.Costs, r.costs[i].record(c, r.costs[0]))
		d.Notes = append(d.Notes, departures(d.Costs[i])...)
	}
	d.NoiseFloor = benchresult.NoiseFloorOfCosts(d.Costs)
	d.Validity = validity(slices.Concat(r.reasons, dearControl(d), tooNoisy(&d.NoiseFloor)))
	return d
}

// header is what is known of any document but its settings.
func (s *session) header(kind, version string) benchresult.Header {
	return benchresult.Header{
		SchemaVersion: result.Bench.Version, Kind: kind,
		Tool:    result.Tool{Name: "bench", Version: version},
		Started: s.began.UTC().Round(0), TookUS: s.since(s.now()),
		Machine: thisMachine(),
		Generator: benchresult.Generator{Pacer: pacerName(s.pacer), GOMAXPROCS: runtime.GOMAXPROCS(0), GOGC: gcPercent,
			Processors: s.places.String()},
		Notes: append([]string{}, s.notes...),
	}
}

// pacerName says in words how the generator waits.
func pacerName(pacer string) string {
	switch pacer {
	case load.PacerNanosleep:
		return "nanosleep, timer slack 1 ns"
	case load.PacerTimer:
		return "Go's timers: late by up to a millisecond"
	}
	return "not used"
}

func (j *Job) settings() benchresult.Settings {
	return benchresult.Settings{
		Rounds: j.Rounds, WarmUpUS: max(j.WarmUp, 0).Microseconds(), SegmentUS: j.Segment.Microseconds(),
		Connections: j.Connections, Sweep: append([]int{},
			j.Sweep...), CostLimit: result.LimitOf(costLimit), FillLimit: result.LimitOf(fillLimit),
	}
}

func validity(reasons []benchresult.Reason) benchresult.Validity {
	return benchresult.Validity{Valid: len(reasons) == 0, Reasons: append([]benchresult.Reason{}, reasons...)}
}

// scenarioRun writes one scenario down.
func (r *run) scenarioRun(i int, p *contest) benchresult.Play {
	own, _ := p.stream.Duration() // 0 where it is not known
	out := benchresult.Play{
		Scenario: p.Scenario.Name, Question: p.Scenario.Question, ScenarioSHA256: p.Scenario.SHA256, Seed: p.Seed,
		Limit:      result.LimitOf(p.Policy),
		DurationUS: own.Microseconds(), FromUS: p.part.From.Microseconds(), PlayedUS: p.part.Length().Microseconds(),
		OnLate: p.Scenario.OnLate, Notes: append([]string{}, p.stream.Notes()...),
	}
	if p.part.Length() < own {
		out.Notes = append(out.Notes, fmt.Sprintf("of %s what is due from %s is played; what comes before is decided "+
			"in virtual time, at the instants at which it would have happened", limit.FormatDuration(own),
			p.part.Stretch))
	}
	out.Notes = append(out.Notes, r.differences(i, p)...)
	if out.OnLate != scenario.OnLates[0] {
		out.Notes = append(out.Notes, fmt.Sprintf("on_late %s applies to requests that no connection was free for "+
			"until %v after they were due",
			out.OnLate, lateAfter))
	}
	for k, c := range p.Entries {
		var e *virtualResult
		if r.virtual[i] != nil {
			e = &r.virtual[i][k]
		}
		out.Rows = append(out.Rows, r.rows[i][k].record(c, e, r.costs[k].perCall))
	}
	return out
}

// departures notes mixes of which another share was admitted than they are meant to have.
func departures(c benchresult.Cost) []string {
	if c.Algorithm == control {
		return nil
	}
	var notes []string
	for _, m := range c.Mixes {
		calls := m.Accepted + m.Rejected
		if calls == 0 {
			continue
		}
		share, want := float64(m.Accepted)/float64(calls), wantedShare(m.Mix)
		if share < want-mixTolerance || share > want+mixTolerance {
			notes = append(notes, fmt.Sprintf("%s: of the mix %s %.1f %% were admitted, where %.0f %% should be",
				c.Algorithm, m.Mix, 100*share, 100*want))
		}
	}
	return notes
}

// mixTolerance is how far a mix may be off without a note.
const mixTolerance = 0.01

// median is that of the values, nil of none.
func median(values []float64) *float64 {
	if len(values) == 0 {
		return nil
	}
	return pointer(benchresult.Median(values))
}
