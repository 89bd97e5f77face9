package worst

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/scenario"
	"ratelab/internal/sheet"
	"ratelab/internal/traffic"
)

var notName = regexp.MustCompile(`[^a-z0-9]+`)

// mostName is how long a scenario's name may be.
const mostName = 64

// Name is the scenario's for an algorithm's label: worst-gcra-burst-10.
func Name(label string) string {
	name := "worst-" + notName.ReplaceAllString(strings.ToLower(label), "-")
	return strings.Trim(name[:min(len(name), mostName)], "-")
}

// Scenario is the attack as a scenario of that name, which expects of the algorithm what its model does: how much it
// admits, and the most in one window, whatever interval was searched.
func (p Problem) Scenario(f *Found, name string) *scenario.Scenario {
	s := &scenario.Scenario{
		Name:     name,
		Question: p.question(),
		Limit:    p.Policy,
		Seed:     1,
		Start:    scenario.DefaultStart.Add(time.Duration(f.Attack.ShiftUS) * time.Microsecond),
		OnLate:   scenario.OnLates[0],
		Phases:   p.phases(&f.Attack),
	}
	s.Expect = []scenario.Expectation{{Algorithm: p.Instance.Label, Measures: p.measures(s)}}
	return s
}

// longestQuestion is as long as a scenario's question may be.
const longestQuestion = 90

func (p Problem) question() string {
	within := sheet.Span(p.WithinUS)
	whole := fmt.Sprintf("How much does %s admit in %s at its worst, at %s?", p.Instance.Label, within, p.Policy)
	if len(whole) > longestQuestion {
		return fmt.Sprintf("How much does this algorithm admit in %s at its worst, at %s?", within, p.Policy)
	}
	return whole
}

// phases are the attack's strikes with their rests. Those before the worst interval prepare it.
func (p Problem) phases(a *Attack) []traffic.Phase {
	names := names{}
	var all []traffic.Phase
	began, from := int64(0), p.decisiveUS(a)
	for i, s := range a.Strikes {
		phase := traffic.Phase{Name: names.next(role(s, began < from)), Keys: traffic.Uniform{Count: 1},
			Cost: traffic.FixedCost(s.Cost)}
		rest := time.Duration(s.RestUS) * time.Microsecond
		phase.Arrivals, phase.Duration = arrivals(s)
		if s.Times == 1 {
			phase.Duration, rest = rest, 0
		}
		if i == len(a.Strikes)-1 && a.EndUS() == 0 {
			phase.Duration = p.Policy.Window // a scenario lasts some time
		}
		all = append(all, phase)
		if rest > 0 {
			all = append(all, traffic.Phase{Name: names.next("wait"), Duration: rest, Arrivals: traffic.Pause{},
				Keys: phase.Keys, Cost: phase.Cost})
		}
		began += s.SpanUS + s.RestUS
	}
	return all
}

// arrivals is a strike as an arrival shape, and its duration.
func arrivals(s Strike) (traffic.Arrivals, time.Duration) {
	span := time.Duration(s.SpanUS) * time.Microsecond
	switch {
	case s.Times == 1:
		return traffic.Burst{Size: s.Size}, 0
	case s.Size == 1:
		return traffic.Constant(s.Times), span
	}
	return traffic.Burst{Size: s.Size, Every: span / time.Duration(s.Times)}, span
}

// decisiveUS is when the worst interval begins, which ends with the attack's last request.
func (p Problem) decisiveUS(a *Attack) int64 {
	var last int64
	a.instants(func(atUS, _, _ int64) bool { last = atUS; return true })
	return last - p.WithinUS + 1
}

func role(s Strike, before bool) string {
	switch {
	case s.Times > 1:
		return "evenly"
	case before:
		return "primer"
	}
	return "flood"
}

// names counts how often each name was given.
type names map[string]int

func (n names) next(name string) string {
	n[name]++
	if n[name] == 1 {
		return name
	}
	return fmt.Sprintf("%s %d", name, n[name])
}

// peakOfArrivals is the measure of the peak of what delays.
const peakOfArrivals = "shaping.peak_of_arrivals"

// measures are what the model does with the scenario's traffic.
func (p Problem) measures(s *scenario.Scenario) []scenario.Range {
	model, start := p.Instance.NewModel(), s.Start.UnixMicro()
	var admitted []admission
	var requests, cost int64
	delayed := false
	for q := range s.Stream(s.Seed).Requests() {
		if d := model.Decide(start+q.AtUS, q.Key, q.Cost); d.Allowed() {
			delayed = delayed || d.DelayUS > 0
			admitted = append(admitted, admission{q.AtUS, q.Cost, 1})
			requests, cost = requests+1, cost+q.Cost
		}
	}
	exactly := func(measure string, n int64) scenario.Range {
		return scenario.Range{Measure: measure, Min: float64(n), Max: float64(n)}
	}
	measures := []scenario.Range{exactly("admitted", requests)}
	if cost != requests {
		measures = append(measures, exactly("admitted_cost", cost))
	}
	name := "peak_window_admitted"
	if delayed {
		name = peakOfArrivals // its bound is about what it admits, not about what leaves
	}
	return append(measures, exactly(name, peak(admitted, p.Policy.WindowUS())))
}

// Comments say what the scenario's file shows, and how it was found.
func (p Problem) Comments(f *Found) []string {
	lines := []string{fmt.Sprintf("The worst traffic found for %s: %d admitted within %s; its bound is %d.",
		p.Instance.Label, f.Most, sheet.Span(p.WithinUS), f.Bound)}
	if f.Broken() {
		lines = append(lines, "The bound is broken: algorithm or bound is wrong.")
	}
	if f.Attack.ShiftUS > 0 {
		lines = append(lines, fmt.Sprintf("It begins %s after a multiple of %s on the clock.", sheet.Span(p.PhaseUS(f)),
			limit.FormatDuration(p.Instance.Policy.Window)))
	}
	if note := p.Note(f); note != "" {
		lines = append(lines, strings.ToUpper(note[:1])+note[1:]+".")
	}
	return append(lines, "Found by: "+p.CommandLine())
}

// Note says why the search did not end by itself; "" where it did.
func (p Problem) Note(f *Found) string {
	switch {
	case f.Stopped:
		return "interrupted; this is the worst found so far"
	case !f.Complete:
		return fmt.Sprintf("the budget of %d decisions ran out; this is the worst found so far, a larger --budget "+
			"may find more", p.Budget)
	case !f.Smallest:
		return fmt.Sprintf("the budget of %d decisions ran out before this traffic was as small as it can be", p.Budget)
	}
	return ""
}

// PhaseUS is how long after a multiple of the row's own window on the clock the attack begins.
func (p Problem) PhaseUS(f *Found) int64 {
	return (epochUS + f.Attack.ShiftUS) % p.Instance.Policy.WindowUS()
}

// Defaults of the search.
const (
	DefaultBudget = 2_000_000
	DefaultSeed   = 1
)

// CommandLine is the call that finds the same again.
func (p Problem) CommandLine() string {
	plain := p.Policy
	plain.Burst = 0
	line := fmt.Sprintf("simulate worst %s --limit %s", p.Instance.Label, sheet.ASCII(plain.String()))
	if p.Policy.Capacity() != p.Policy.Requests {
		line += fmt.Sprintf(" --burst %d", p.Policy.Burst)
	}
	if p.WithinUS != p.Policy.WindowUS() {
		line += " --within " + sheet.Span(p.WithinUS)
	}
	if p.LargestCost != 1 {
		line += fmt.Sprintf(" --largest-cost %d", p.LargestCost)
	}
	if p.Budget != DefaultBudget {
		line += fmt.Sprintf(" --budget %d", p.Budget)
	}
	return line + fmt.Sprintf(" --seed %d", p.Seed)
}
