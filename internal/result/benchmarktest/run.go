package benchmarktest

import (
	"math"

	"ratelab/internal/measure"
	"ratelab/internal/result"
)

const (
	intervalUS = 500_000
	bucketUS   = 10_000
)

// situation is a scenario's traffic. Each second has the same number of requests, either spread or all at its start.
type situation struct {
	name, question string
	limit          result.Limit
	seconds        int64 // the seconds that are played
	scenarioUS     int64
	perSecond      int64
	atOnce         bool
	admitted       func(*profile) (admitted, peak, falseAdmits, falseRejects int64)
	notes          []string
}

func situations() []situation {
	return []situation{{
		name: "ten-times-over", question: "What gets through when demand is ten times the limit?",
		limit:   result.Limit{Requests: 333, WindowUS: 1_000_000, Burst: 333},
		seconds: 2, scenarioUS: 2_000_000, perSecond: 3330, notes: []string{},
		admitted: func(p *profile) (int64, int64, int64, int64) { return p.admits, p.peak, p.falseAdmits, p.rejects },
	}, {
		name: "retry-storm", question: "Do 500 clients that all retry once a second get the hundred per second " +
			"they may?",
		limit:   result.Limit{Requests: 100, WindowUS: 1_000_000, Burst: 100},
		seconds: 3, scenarioUS: 10_000_000, perSecond: 500, atOnce: true,
		notes: []string{"the first 3s of 10s were played"},
		admitted: func(p *profile) (int64, int64, int64, int64) {
			return p.stormAdmits, p.stormPeak, max(0, p.stormAdmits-300), p.stormRejects
		},
	}}
}

func (s *situation) run() (run result.Run, latency []result.Latency) {
	run = result.Run{
		Scenario: s.name, Question: s.question, Seed: 1, Clock: result.Virtual, Limit: s.limit,
		DurationUS: s.scenarioUS, Keys: 1, Server: server().Server, Notes: s.notes,
		Played: &result.Part{ScenarioSHA256: sha256Of(s.name), LengthUS: s.seconds * 1_000_000, OnLate: "queue"},
	}
	for _, p := range profiles() {
		row := s.row(&p)
		run.Results = append(run.Results, row)
		l := s.open(&p, newDraw(s.name+p.label))
		l.Scenario, l.Algorithm = s.name, p.label
		l.Course = s.course(&p)
		latency = append(latency, l)
	}
	return run, latency
}

func (s *situation) row(p *profile) result.Row {
	exact := s.exact(p)
	share := float64(exact.Admitted) / float64(exact.Offered)
	row := result.Row{Algorithm: p.label, ScriptSHA1: p.sha1(), Parameters: p.parameters,
		Figures: measure.Figures{Result: *exact,
			Commands:   new(math.Round(1e6*(share*p.callsAdmitted+(1-share)*p.callsRejected)) / 1e6),
			RoundTrips: new(1.0), KeysLeft: new(int64(1)), KeysWithoutTTL: new(int64(0))}}
	if p.isControl() {
		row.KeysLeft = new(int64(0))
	} else {
		row.BytesPerKey = new(float64(p.bytes(exact.Peak)))
	}
	return row
}

func (s *situation) exact(p *profile) *measure.Result {
	offered := s.seconds * s.perSecond
	admitted, peak, excess, shortfall := s.admitted(p)
	return &measure.Result{
		Offered: offered, Admitted: admitted, Rejected: offered - admitted, OfferedCost: offered,
		AdmittedCost: admitted,
		Peak:         peak, XLimit: float64(peak) / float64(s.limit.Requests), Excess: excess,
		ExactCost: admitted - excess + shortfall, Lost: float64(shortfall) / float64(admitted-excess+shortfall),
		DecisionsDigest: sha256Of(s.name + p.label)[:32],
	}
}
