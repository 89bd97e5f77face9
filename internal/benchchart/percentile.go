package benchchart

import (
	"fmt"

	"ratelab/internal/benchresult"
	"ratelab/internal/chart"
)

// spectrum is one algorithm's distributions under a scenario.
type spectrum struct {
	label                              string
	accepted, rejected                 []rank // response
	acceptedService, rejectedService   []rank
	acceptedP99US, rejectedP99US       float64
	acceptedRequests, rejectedRequests int64
}

func newSpectrum(row *benchresult.Limiter) spectrum {
	a, r := row.Open.Latency.Accepted, row.Open.Latency.Rejected
	return spectrum{
		label:    row.Algorithm,
		accepted: ranksOf(a.Response), rejected: ranksOf(r.Response),
		acceptedService: ranksOf(a.Service), rejectedService: ranksOf(r.Service),
		acceptedP99US:    float64(a.Response.ValueAtPercentile(99)),
		rejectedP99US:    float64(r.Response.ValueAtPercentile(99)),
		acceptedRequests: a.Response.TotalCount(), rejectedRequests: r.Response.TotalCount(),
	}
}

// percentiles shows how long a decision takes, and how bad the worst are: a mean hides both.
func (s *scene) percentiles(i int, run *benchresult.Play) (chart.Picture, bool) {
	name := s.latencyName(i, run, "latency-percentile")
	all, floor := spectra(run)
	low, high, most := bounds(append(all, floor))
	if high == 0 {
		s.leave(name, "no response was measured")
		return chart.Picture{}, false
	}
	m := chart.Multiples{Horizontal: nines(most),
		Vertical: chart.Logarithmic(low, high, 26, "latency, logarithmic", us)}
	for _, sp := range all {
		m.Panels = append(m.Panels, chart.Panel{Label: sp.label, Color: chart.Color(sp.label), Fact: sp.fact(),
			Draw: func(a *chart.Axes) { drawSpectrum(a, sp, floor) }})
	}
	of := s.results[i : i+1]
	p := page("How long does a decision take, and how bad are the worst?",
		fmt.Sprintf("Latency by percentile under %s: limit %s, %s.", run.Scenario, policy(run.Limit),
			connections(of)), of, run)
	p = figure(p, spectrumKeys(len(floor.accepted) > 0), m.Height(), m.Draw)
	return chart.Picture{Name: name, Page: p, Data: s.percentileData(i, run)}, true
}

// latencyName is the picture's name, with the server's where there are several.
func (s *scene) latencyName(i int, run *benchresult.Play, picture string) string {
	name := run.Scenario + "." + picture
	if s.several() {
		name += "." + slug(s.names[i])
	}
	return name
}

// spectra gives the rows that have a panel, and the control that stands in each of them; alone, the control has one.
func spectra(run *benchresult.Play) (all []spectrum, floor spectrum) {
	for i := range run.Rows {
		if sp := newSpectrum(&run.Rows[i]); sp.label == control && len(run.Rows) > 1 {
			floor = sp
		} else {
			all = append(all, sp)
		}
	}
	return all, floor
}

// bounds are about the least and exactly the longest duration of all, and the furthest rank.
func bounds(all []spectrum) (low, high, most float64) {
	for _, sp := range all {
		for _, ranks := range [][]rank{sp.accepted, sp.rejected, sp.acceptedService, sp.rejectedService} {
			if len(ranks) == 0 {
				continue
			}
			// the single least one would stretch the axis
			first, last := ranks[min(1, len(ranks)-1)], ranks[len(ranks)-1]
			if low == 0 || first.us < low {
				low = first.us
			}
			high, most = max(high, last.us), max(most, last.nines)
		}
	}
	return max(low, benchresult.LowestUS), high, most
}

func (sp spectrum) fact() string {
	accepted, rejected := "p99 "+us(sp.acceptedP99US), "p99 "+us(sp.rejectedP99US)
	switch {
	case sp.acceptedRequests == 0 && sp.rejectedRequests == 0:
		return "no requests"
	case sp.rejectedRequests == 0:
		return accepted + ", none rejected"
	case sp.acceptedRequests == 0:
		return rejected + ", none accepted"
	}
	return accepted + ", rejected " + us(sp.rejectedP99US)
}

func drawSpectrum(a *chart.Axes, sp, floor spectrum) {
	c := chart.Color(sp.label)
	stroke := func(ranks []rank, share, width float64, dashes ...float64) {
		if len(ranks) > 0 {
			a.Pen.Stroke(line(a, ranks), chart.Tint(c, share), width, dashes...)
		}
	}
	if len(floor.accepted) > 0 {
		a.Pen.Stroke(line(a, floor.accepted), chart.Color(control), 2.4)
	}
	stroke(sp.rejectedService, 0.75, 0.8, rejectedDashes...)
	stroke(sp.acceptedService, 0.75, 0.8)
	stroke(sp.rejected, 1, 1.9, rejectedDashes...)
	stroke(sp.accepted, 1, 1.9)
}

// rejectedDashes mark what was rejected.
var rejectedDashes = []float64{4, 2.5}

func spectrumKeys(floor bool) []chart.Key {
	keys := []chart.Key{
		chart.LineKey("response, accepted", chart.Ink, 1.9),
		chart.LineKey("response, rejected", chart.Ink, 1.9, rejectedDashes...),
		chart.LineKey("service alone (thin)", chart.Ink, 0.8),
	}
	if floor {
		keys = append(keys, chart.LineKey("response of the control none", chart.Color(control), 2.4))
	}
	return keys
}

func (s *scene) percentileData(i int, run *benchresult.Play) []byte {
	t := newTable("server", "algorithm", "outcome", "duration", "percentile", "latency_us")
	for r := range run.Rows {
		sp := newSpectrum(&run.Rows[r])
		for _, part := range []struct {
			outcome, duration string
			ranks             []rank
		}{
			{"accepted", "response", sp.accepted}, {"accepted", "service", sp.acceptedService},
			{"rejected", "response", sp.rejected}, {"rejected", "service", sp.rejectedService},
		} {
			for _, k := range part.ranks {
				t.add(s.names[i], sp.label, part.outcome, part.duration, roundTo(100*k.share(), 5), k.us)
			}
		}
	}
	return t.bytes()
}
