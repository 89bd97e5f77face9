package bench

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/host"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/load"
	"ratelab/internal/message"
	"ratelab/internal/result"
	"ratelab/internal/scenario"
)

// document returns the document with all results.
func (r *measuring) document(ctx context.Context) *result.Document {
	d := result.New(result.OfBench, r.Version)
	d.Notes = slices.Clone(r.notes)
	if r.repeated > 0 {
		d.Notes = append(d.Notes, message.Count(r.repeated, "disturbed measurement")+" repeated")
	}
	d.Measurement = &result.Measurement{
		Started: r.began.UTC().Round(0), TookUS: r.since(r.wall.Now()), Partial: r.partial,
		Server: describe(ctx, r.server, r.spec), Machine: thisMachine(),
		Generator: result.Generator{Pacer: load.Pacer, GOMAXPROCS: runtime.GOMAXPROCS(0), GOGC: gcPercent},
		Settings: result.Settings{Rounds: r.Rounds, WarmUpUS: r.WarmUp.Microseconds(), Connections: r.Connections,
			Repeated: r.repeated},
	}
	reasons := append([]result.Reason{}, r.reasons...) // an empty list instead of null
	for _, p := range r.plays {
		if p.virtual == nil { // then it was not played either
			continue
		}
		d.Runs = append(d.Runs, p.completed())
		for _, row := range p.rows {
			d.Latency = append(d.Latency, row.completed())
		}
	}
	d.NoiseFloor = result.NoiseFloorOf(d.Latency)
	reasons = append(reasons, dearControl(d)...)
	d.Validity = result.Validity{Valid: len(reasons) == 0, Reasons: reasons}
	return d
}

// completed returns a scenario's result in virtual time, and describes the part that was played in real time.
func (p *play) completed() result.Run {
	own, _ := p.whole.Duration() // 0 if it is unknown
	out := *p.virtual
	out.DurationUS = own.Microseconds()
	out.Played = &result.Part{ScenarioSHA256: p.Scenario.SHA256, FromUS: p.part.From.Microseconds(),
		LengthUS: p.part.Length().Microseconds(), OnLate: p.Scenario.OnLate}
	out.Notes = slices.Concat(out.Notes, p.whole.Notes())
	if p.part.From > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("what is due before %s is not played: the limiters begin with "+
			"nothing counted", limit.FormatDuration(p.part.From)))
	}
	if p.Scenario.OnLate != scenario.OnLates[0] {
		out.Notes = append(out.Notes, fmt.Sprintf("on_late %s applies to requests that no connection was free for "+
			"until %v after they were due", p.Scenario.OnLate, lateAfter))
	}
	return out
}

// completed returns the row with its means and medians.
func (r *summary) completed() result.Latency {
	n := max(1, float64(len(r.Rounds)))
	r.IntendedPerS /= n
	r.AchievedPerS /= n
	var serverUS []float64
	for _, round := range r.Rounds {
		if round.ServerUSPerCall != nil {
			serverUS = append(serverUS, *round.ServerUSPerCall)
		}
	}
	if serverUS != nil {
		r.ServerUSPerCall = new(result.Median(serverUS))
	}
	return r.Latency
}

// dearControl returns a reason for each row that took the server less time than the script that decides nothing, by
// more than the noise between rounds. The figures of such a scenario are not those of the scripts.
func dearControl(d *result.Document) (all []result.Reason) {
	for i := range d.Runs {
		var none float64
		for _, p := range d.Plays(&d.Runs[i]) {
			us := p.ServerUSPerCall
			switch {
			case us == nil:
			case algorithms.IsFloor(p.Algorithm):
				none = *us
			case d.NoiseFloor.Pairs > 0 && none > *us*max(1, d.NoiseFloor.ServerUS):
				all = append(all, result.Reason{Code: "control", Where: p.Scenario, Statement: fmt.Sprintf(
					"%s took the server %.1f µs, and a script that decides nothing %.1f µs", p.Algorithm, *us, none)})
			}
		}
	}
	return all
}

// thisMachine describes the machine of the generator. Unknown values are empty.
func thisMachine() result.Machine {
	m := result.Machine{OS: runtime.GOOS, Architecture: runtime.GOARCH, Cores: runtime.NumCPU(), Go: runtime.Version()}
	m.Kernel, _ = host.KernelVersion()
	if processors, _ := cpu.Info(); len(processors) > 0 {
		m.CPU = processors[0].ModelName
	}
	return m
}
