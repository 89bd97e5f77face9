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
func (r *measuring) document(ctx context.Context) *result.Document {
	d := result.New(result.OfBench, r.Version)
	d.Notes = slices.Clone(r.notes)
	d.Measurement = &result.Measurement{
		Started: r.began.UTC().Round(0), TookUS: r.since(r.wall.Now()), Partial: r.partial,
		Server: describe(ctx, r.server, r.spec), Machine: thisMachine(),
		Generator: result.Generator{Pacer: cmp.Or(r.pacer, "not used"), GOMAXPROCS: runtime.GOMAXPROCS(0),
			GOGC: gcPercent, Processors: r.places.String()},
		Settings: r.settings(),
	}
	d.Settings.RepeatedRound = r.repeated
	if r.repeated > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("%d measurements were made again: %s was at fault", r.repeated,
			result.Culprit(r.blamed)))
	}
	for _, p := range r.runs {
		if p.virtual == nil { // nor was it played
			continue
		}
		d.Runs = append(d.Runs, p.completed())
		for k, row := range p.rows {
			d.Latency = append(d.Latency, row.record(r.perCall[k]))
		}
	}
	for i := range r.costs {
		for m := range r.costs[i].Mixes {
			complete(&r.costs[i].Mixes[m], &r.costs[0].Mixes[m], r.perCall[i])
		}
		d.Costs = append(d.Costs, *r.costs[i])
		d.Notes = append(d.Notes, departures(d.Costs[i])...)
	}
	d.NoiseFloor = result.NoiseFloorOfCosts(d.Costs)
	reasons := append([]result.Reason{}, r.reasons...) // none are not null
	reasons = append(append(reasons, dearControl(d)...), tooNoisy(&d.NoiseFloor)...)
	d.Validity = result.Validity{Valid: len(reasons) == 0, Reasons: reasons}
	return d
}

func (j *Job) settings() result.Settings {
	return result.Settings{
		Rounds: j.Rounds, WarmUpUS: j.WarmUp.Microseconds(), SegmentUS: j.Segment.Microseconds(),
		Connections: j.Connections, Sweep: append([]int{},
			j.Sweep...), CostLimit: result.LimitOf(costLimit), FillLimit: result.LimitOf(fillLimit),
	}
}

// completed is what virtual time found of a scenario, and what is played of that.
func (c *playPlan) completed() result.Run {
	own, _ := c.whole.Duration() // 0 where it is not known
	out := *c.virtual
	out.DurationUS = own.Microseconds()
	out.Played = &result.Part{ScenarioSHA256: c.Scenario.SHA256, FromUS: c.part.From.Microseconds(),
		LengthUS: c.part.Length().Microseconds(), OnLate: c.Scenario.OnLate}
	out.Notes = slices.Concat(out.Notes, c.whole.Notes())
	if c.part.From > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("what is due before %s is not played: the limiters begin with "+
			"nothing counted", limit.FormatDuration(c.part.From)))
	}
	if c.Scenario.OnLate != scenario.OnLates[0] {
		out.Notes = append(out.Notes, fmt.Sprintf("on_late %s applies to requests that no connection was free for "+
			"until %v after they were due", c.Scenario.OnLate, lateAfter))
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
