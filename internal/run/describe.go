package run

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ratelab/algorithms"
	"ratelab/internal/clients"
	"ratelab/internal/limit"
	"ratelab/internal/measure"
	"ratelab/internal/message"
	"ratelab/internal/replay"
	"ratelab/internal/result"
	"ratelab/internal/scenario"
)

// scales returns the lengths of the intervals over which the plan's rows are measured.
func (p *Plan) scales() []int64 {
	if p.Brief || p.several() || p.inFlight() {
		return nil
	}
	return measure.TimeScales(p.Policy.WindowUS())
}

// describe makes the document's run of one plan's outcome.
func (g *game) describe(o *replay.Outcome) *result.Run {
	p, server := g.Plan, g.engine.About()
	run := &result.Run{Scenario: p.Scenario.Name, Question: p.Scenario.Question, Seed: p.Seed, Clock: result.Virtual,
		Limit: result.LimitOf(p.Policy), DurationUS: o.Duration.Microseconds(), Keys: o.Keys, Server: server,
		Partial: o.Partial, Reference: &o.Reference, Notes: slices.Concat(p.Stream.Notes(), p.notes),
		TimeScales: &result.TimeScales{IntervalUS: p.scales(), Limit: measure.Allowed(p.Policy, p.scales())}}
	run.FirstUS, run.LastUS = p.Stream.Recorded()
	for _, l := range p.Limits {
		run.Limits = append(run.Limits, result.NamedLimitOf(l))
	}
	run.ReferenceLimits = o.ReferenceLimits
	for _, s := range p.Sweeps {
		sweep := result.Sweep{Of: s.Of, Parameter: s.Parameter, Duration: s.Duration}
		for i, label := range s.Labels {
			sweep.Rows = append(sweep.Rows, label)
			sweep.Values = append(sweep.Values, nil)
			if v := s.Values[i]; !math.IsNaN(v) {
				sweep.Values[i] = &v
			}
		}
		run.Sweeps = append(run.Sweeps, sweep)
	}
	note := func(text string) { run.Notes = append(run.Notes, text) }
	if p.Scenario.Boundary {
		note("boundary case: one millisecond more or less changes what is admitted")
	}
	if o.Keys > measure.MaxFairKeys {
		note(fmt.Sprintf("fairness is not measured beyond %d,000 keys", measure.MaxFairKeys/1000))
	}
	for i, r := range g.rows {
		run.Results = append(run.Results, r.describe(p, o, o.Rows[i]))
		if r.tooLarge > 0 {
			note(fmt.Sprintf("%s: %s reserve more than the limit, and are never admitted", r.Label,
				message.Count(r.tooLarge, "request")))
		}
	}
	if g.describeScales(run, o); p.inFlight() {
		run.TimeScales = nil
	}
	for _, l := range p.Foreign() {
		if p.several() {
			break // their scripts have no limit of their own
		}
		switch own, file := l.Program.Own, p.Scenario.Limit; {
		case own == nil:
		case own.Requests != p.Policy.Requests || own.Window != p.Policy.Window:
			note(fmt.Sprintf("%s goes by its own limit, and is measured by %v as all rows; --limit %v measures it by "+
				"its own", l.Label, p.Policy, own))
		case own.Requests != file.Requests || own.Window != file.Window:
			note(fmt.Sprintf("%v is written into %s, and all rows are measured by it; the scenario's limit is %v, "+
				"for which there is --limit", own, l.Label, file))
		}
	}
	if text := g.noteSample(o); text != "" {
		note(text)
	}
	if text := tooCostly(run, o.LargestCost); text != "" {
		note(text)
	}
	if p.Scenario.Reactive() {
		run.Reference = nil
		for _, g := range p.Scenario.Clients {
			run.ClientGroups = append(run.ClientGroups, g.Name)
		}
		p.noteClients(server.Kind != ModelServer, note)
	}
	if run.Partial {
		text := "interrupted: the figures cover the beginning only"
		if !endTogether(run.Results) {
			text += ", a different part for each row"
		}
		note(text)
	}
	run.Expectations = append(p.expectations(run), brokenGuarantees(run)...)
	if !p.asWritten() && len(run.Expectations) > 0 {
		note("expectations are not checked: they hold for the file's own limit and seed in virtual time")
	}
	return run
}

// tooCostly describes the requests that can never be admitted because they cost more than the limit or a row's burst.
func tooCostly(run *result.Run, largest int64) string {
	if run.Limit.Contract == limit.ByFlight {
		return "" // costs do not count
	}
	if run.Limits != nil {
		var all []string
		for _, l := range run.Limits {
			if l.Counts == "cost" && largest > l.Burst {
				all = append(all, fmt.Sprintf("costs go up to %d, and what costs more than the limit %s of %d is "+
					"never admitted", largest, l.Name, l.Burst))
			}
		}
		return strings.Join(all, "; ")
	}
	if largest > run.Limit.Requests {
		return fmt.Sprintf("costs go up to %d, and what costs more than the limit of %d is never admitted", largest,
			run.Limit.Requests)
	}
	var rows []string
	for i := range run.Results {
		row := &run.Results[i]
		capacity := algorithms.InRole(algorithms.Capacity, row.Algorithm, row.Parameters)
		if n, err := strconv.ParseInt(capacity, 10, 64); err == nil && n < largest {
			rows = append(rows, fmt.Sprintf("%s (%d)", row.Algorithm, n))
		}
	}
	if rows == nil {
		return ""
	}
	return fmt.Sprintf("costs go up to %d, and what costs more than a row's burst is never admitted: %s", largest,
		strings.Join(rows, ", "))
}

// endTogether reports whether all rows decided the same number of requests.
func endTogether(rows []result.Row) bool {
	return !slices.ContainsFunc(rows, func(r result.Row) bool { return r.Offered != rows[0].Offered })
}

// triesAgain reports whether there are clients that do not give up when they are rejected.
func (p *Plan) triesAgain() bool {
	return slices.ContainsFunc(p.Scenario.Clients, func(g clients.Group) bool { return g.OnReject != clients.GiveUp })
}

// noteClients notes which requests the rows are measured against if clients react, and that no script decided.
func (p *Plan) noteClients(onServer bool, note func(string)) {
	groups := p.Scenario.Clients
	switch {
	case p.triesAgain():
		note("clients try again: each row has its own requests, against which it is measured")
	case slices.ContainsFunc(groups, func(g clients.Group) bool { return g.DelayUS != clients.Range{} }):
		note("requests travel: each row has those that arrived before the end, in the order of their arrival, " +
			"against which it is measured")
	}
	if !onServer {
		note("the Go models decided; no script on a server confirmed them")
	}
}

// expectations compares the rows with the scenario's expect.
func (p *Plan) expectations(run *result.Run) []result.Expectation {
	var all []result.Expectation
	for _, e := range p.Scenario.Expect {
		row := run.Find(rowLabel(e.Algorithm))
		for _, want := range e.Measures {
			x := result.Expectation{Algorithm: e.Algorithm, Measure: want.Measure, Want: want.String()}
			if row != nil && p.asWritten() && !run.Partial {
				x.Got, x.Met = checked(row, want, run.Server.Kind)
			}
			all = append(all, x)
		}
	}
	return all
}

// checked checks one expectation. A missing figure fails the expectation, unless only scripts have that figure and a
// model decided.
func checked(row *result.Row, want scenario.Range, server string) (got *float64, met *bool) {
	m, about := measure.Find(want.Measure)
	v := m.Value(&row.Figures)
	yes := v.Known && want.Contains(v.Number)
	switch {
	case v.Known:
		got = &v.Number
	case about == measure.CostMeasures && server == ModelServer:
		return nil, nil
	}
	return got, &yes
}

// brokenGuarantees returns a failed expectation for each row that admitted more than its limiter guarantees.
func brokenGuarantees(run *result.Run) []result.Expectation {
	const rounding = 1 + 1e-9
	var all []result.Expectation
	no := false
	for i := range run.Results {
		row := &run.Results[i]
		if row.Guarantee == nil || row.XLimit <= *row.Guarantee*rounding {
			continue
		}
		all = append(all, result.Expectation{Algorithm: row.Algorithm, Measure: "x_limit",
			Want: fmt.Sprintf("at most %g, which the limiter guarantees", *row.Guarantee), Got: &row.XLimit, Met: &no})
	}
	return all
}

// Joined returns the document's run of a plan whose models decided elsewhere. part has the counts for all keys. atOnce
// has them under the other rule for whole seconds, or is nil if they are the same or were not requested.
func (a *Ask) Joined(p *Plan, part, atOnce *replay.Part) (*result.Run, error) {
	g := &game{Plan: p, engine: models{}}
	var labels []string
	for _, l := range p.Limiters {
		g.rows, labels = append(g.rows, &row{Limiter: l}), append(labels, l.Label)
	}
	outcome, err := part.Outcome(p.Policy, labels)
	if err != nil {
		return nil, err
	}
	run := g.describe(outcome)
	run.Server.Version = a.Version
	if atOnce != nil {
		other, err := a.Joined(p, atOnce, nil)
		if err != nil {
			return nil, err
		}
		run.Notes = append(run.Notes, wholeSeconds(run, other)...)
	}
	return run, nil
}
