package page

import (
	"fmt"
	"html/template"
	"regexp"
	"strconv"
	"strings"

	"ratelab/algorithms"
	"ratelab/internal/curves"
	"ratelab/internal/measure"
	"ratelab/internal/message"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// page has the data of the template.
type page struct {
	Policy    string
	Style     template.CSS
	Script    template.JS
	Title     string
	Legend    legend
	Overview  report.Sheet
	Shown     []plot // the traffic that shows each fault about what a script admits
	Scenarios []scenario
	Rules     []rule
	Command   string
	Tool      result.Tool
}

// scenario is one run: its texts and tables above and below the charts.
type scenario struct {
	ID, Name string
	Above    report.Sheet
	Plots    []plot
	Below    report.Sheet
	Hashes   report.Sheet // for comparison byte by byte
	Measured *measured    // the measurements of bench run; may be nil
}

// rule describes an algorithm. If the algorithm has rows, the rule has their label.
type rule struct {
	algorithms.Algorithm
	Label label
	Named bool
}

func newPage(in Input) page {
	doc := in.Document
	l := newLabels(doc.Runs, in.Bench)
	shown := counterexamples(doc, l) // it adds labels
	ids := identifiers(doc.Runs)
	style := strings.TrimSpace(Palette+pageCSS) + "\n" + l.css() + matrixCSS(report.Matrices(doc, nil))
	p := page{
		Policy: policy(style, pageJS), Style: template.CSS(style), Script: template.JS(pageJS),
		Title: "Rate limiters compared", Legend: l.legend(), Overview: newOverview(in, ids),
		Command: in.Command, Tool: doc.Tool, Shown: shown,
	}
	if len(doc.Runs) == 1 {
		p.Title = doc.Runs[0].Scenario
	}
	for i := range doc.Runs {
		l := l.ranked(&doc.Runs[i])
		played := newMeasured(in.Bench, &doc.Runs[i], l)
		s := newScenario(&doc.Runs[i], ids[i], l, played, doc.Examinations)
		s.Plots = plots(in, i, l)
		p.Scenarios = append(p.Scenarios, s)
	}
	for _, a := range in.Algorithms {
		i, named := l.index[a.Name]
		p.Rules = append(p.Rules, rule{a, l.list[i], named})
	}
	return p
}

func newScenario(r *result.Run, id string, l *labels, played *measured, known []result.Examination) scenario {
	above := report.Part{Title: r.Scenario, Level: 2}
	if r.Question != "" {
		above.Lead = append(above.Lead, report.Line{Text: r.Question})
	}
	if r.Partial {
		above.Lead = append(above.Lead,
			report.Line{Text: "Interrupted: the counts cover the beginning only.", Style: report.Alarm})
	}
	above.Lead = append(above.Lead, report.Line{Text: report.Keepers(r, known), Style: report.Strong})
	above.Lead = append(above.Lead, facts(r)...)
	tables := l.marked(report.Tables(r, measure.Page, nil))
	decided := report.Part{Tables: tables[:min(1, len(tables))]}
	if played != nil {
		decided.Title = exactClock
	}
	below := report.Part{Tables: tables[len(decided.Tables):]}
	for _, line := range report.Remarks(r) {
		if line.Style == report.Plain {
			line.Style = report.Faint
		}
		below.Notes = append(below.Notes, line)
	}
	hashes := report.Part{Tables: l.marked([]report.Table{hashes(r)})}
	return scenario{ID: id, Name: r.Scenario, Above: report.Sheet{above, decided}, Measured: played,
		Below: report.Sheet{below}, Hashes: report.Sheet{hashes}}
}

// plots returns the charts of run i over time, the rolling window first. It returns none if the run has no course.
func plots(in Input, i int, l *labels) []plot {
	var all []plot
	if len(in.Charts) > 0 {
		for _, t := range curves.Timelines(in.Charts[i]) {
			if t.Drawing != curves.Flow { // the page has no room for it
				all = append(all, timelinePlot(t, l))
			}
		}
	}
	return all
}

func facts(r *result.Run) []report.Line {
	list := []report.Line{
		{Term: "limit", Text: message.Grouped(r.Limit.Requests) + " per " + report.Each(r.Limit.WindowUS)},
		{Term: "burst", Text: message.Grouped(r.Limit.Burst)},
		{Term: "contract", Text: r.Limit.Contract.String()},
		{Term: "keys", Text: message.Grouped(r.Keys)},
		{Term: "duration", Text: span(r.DurationUS) + " of " + r.Clock + " time"},
		{Term: "seed", Text: strconv.FormatUint(r.Seed, 10)},
		{Term: "decided by", Text: r.Server.String()},
	}
	if r.Limits != nil {
		list = append([]report.Line{{Term: "limits", Text: report.LimitsWords(r.Limits)}}, list[3:]...)
	}
	if len(r.ClientGroups) > 0 {
		list = append(list, report.Line{Term: "clients", Text: strings.Join(r.ClientGroups, ", ")})
	}
	return list
}

// hashes returns a table of hashes, which show whether figures were reproduced.
func hashes(r *result.Run) report.Table {
	t := report.Table{Caption: "Decisions, scripts and parameters", Columns: []report.Column{report.LimiterColumn,
		{Name: "decisions digest", Words: true, Help: "over a line t_us,key,cost,0|1 for each request"},
		{Name: "script SHA-1", Words: true},
		{Name: "parameters", Words: true, Help: "all of them, defaults included"}}}
	for i := range r.Results {
		row := &r.Results[i]
		t.Rows = append(t.Rows, report.TableRow{Cells: report.Cells(row.Algorithm, row.DecisionsDigest, row.ScriptSHA1,
			report.ParameterText(row.Parameters))})
	}
	if r.Reference != nil {
		cells := report.Cells(result.ReferenceLabel, r.Reference.DecisionsDigest, "", "")
		t.Rows = append(t.Rows, report.TableRow{Cells: cells, Faint: true})
	}
	return t
}

// plain matches names that can be part of an address.
var plain = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)

// identifiers returns the addresses of the scenarios within the page: their names, or a number if the name cannot be an
// address.
func identifiers(runs []result.Run) []string {
	used := map[string]bool{"overview": true, "scenarios": true, "definitions": true, "again": true, "main": true}
	ids := make([]string, len(runs))
	for i := range runs {
		id := runs[i].Scenario
		if !plain.MatchString(id) || used[id] || strings.HasPrefix(id, "scenario-") {
			id = fmt.Sprintf("scenario-%d", i+1)
		}
		ids[i], used[id] = id, true
	}
	return ids
}
