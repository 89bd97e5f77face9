package bench

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"

	"ratelab/internal/limit"
	"ratelab/internal/result"
	"ratelab/internal/scenario"
)

// document writes everything down.
func (r *measuring) document(ctx context.Context) *result.Benchmark {
	d := &result.Benchmark{Header: r.header("bench", r.Version), Server: describe(ctx, r.server, r.spec)}
	d.Settings = r.settings()
	d.Settings.RepeatedRound = r.repeated
	if r.repeated > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("%d measurements were made again: %s was at fault", r.repeated,
			result.Culprit(r.blamed)))
	}
	d.Partial = r.partial
	for i, p := range r.runs {
		d.Runs = append(d.Runs, r.scenarioRun(i, p))
	}
	for i := range r.costs {
		for m := range r.costs[i].Mixes {
			complete(&r.costs[i].Mixes[m], &r.costs[0].Mixes[m], r.perCall[i])
		}
		d.Costs = append(d.Costs, *r.costs[i])
		d.Notes = append(d.Notes, departures(d.Costs[i])...)
	}
	d.NoiseFloor = result.NoiseFloorOfCosts(d.Costs)
	d.Validity = validity(slices.Concat(r.reasons, dearControl(d), tooNoisy(&d.NoiseFloor)))
	return d
}

// header is what is known of any document but its settings.
func (s *session) header(kind, version string) result.Header {
	return result.Header{
		SchemaVersion: 2, Kind: kind,
		Tool:    result.Tool{Name: "bench", Version: version},
		Started: s.began.UTC().Round(0), TookUS: s.since(s.now()),
		Machine: thisMachine(),
		Generator: result.Generator{Pacer: cmp.Or(s.pacer, "not used"), GOMAXPROCS: runtime.GOMAXPROCS(0),
			GOGC: gcPercent, Processors: s.places.String()},
		Notes: append([]string{}, s.notes...),
	}
}

func (j *Job) settings() result.Settings {
	return result.Settings{
		Rounds: j.Rounds, WarmUpUS: j.WarmUp.Microseconds(), SegmentUS: j.Segment.Microseconds(),
		Connections: j.Connections, Sweep: append([]int{},
			j.Sweep...), CostLimit: result.LimitOf(costLimit), FillLimit: result.LimitOf(fillLimit),
	}
}

func validity(reasons []result.Reason) result.Validity {
	return result.Validity{Valid: len(reasons) == 0, Reasons: append([]result.Reason{}, reasons...)}
}

// scenarioRun writes one scenario down.
func (r *measuring) scenarioRun(i int, p *contest) result.BenchRun {
	own, _ := p.whole.Duration() // 0 where it is not known
	out := result.BenchRun{
		Scenario: p.Scenario.Name, Question: p.Scenario.Question, ScenarioSHA256: p.Scenario.SHA256, Seed: p.Seed,
		Limit:      result.LimitOf(p.Policy),
		DurationUS: own.Microseconds(), FromUS: p.part.From.Microseconds(), PlayedUS: p.part.Length().Microseconds(),
		OnLate: p.Scenario.OnLate, Notes: append([]string{}, p.whole.Notes()...),
	}
	if p.part.From > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("what is due before %s is not played: the limiters begin with "+
			"nothing counted", limit.FormatDuration(p.part.From)))
	}
	if out.OnLate != scenario.OnLates[0] {
		out.Notes = append(out.Notes, fmt.Sprintf("on_late %s applies to requests that no connection was free for "+
			"until %v after they were due",
			out.OnLate, lateAfter))
	}
	for k, l := range p.Limiters {
		var virtual *result.Row
		if r.virtual[i] != nil {
			virtual = r.virtual[i].Find(l.Label)
		}
		out.Rows = append(out.Rows, r.rows[i][k].record(virtual, r.perCall[k]))
	}
	return out
}

// departures notes mixes of which another share was admitted than they are meant to have.
func departures(c result.Cost) []string {
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
