package page

import (
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ratelab/internal/chart"
	"ratelab/internal/curves"
	"ratelab/internal/report"
	"ratelab/internal/sheet"
)

// page is all that the template writes. Every text in it has been through shown.
type page struct {
	Policy    string
	Style     template.CSS
	Script    template.JS
	Title     string
	Legend    []label
	Overview  overview
	Scenarios []scenario
	Measures  []term
	Promises  []promise
	Command   string
	Version   string
	Made      string // by what, and where
}

// scenario is one run.
type scenario struct {
	ID, Name, Question string
	Partial            bool
	Verdict            string
	Facts              []term
	Rows               sheet.Table
	Findings           []sheet.Table
	Plots              []plot
	Missed             []string
	Expected           string
	Notes              []string
	Hashes             sheet.Table
}

// term is a word and what it stands for.
type term struct{ Term, Text string }

// link is an address, and how it is shown.
type link struct{ Address, Text string }

// promise is what an algorithm says of itself.
type promise struct {
	Name                       label
	Named                      bool // it has rows, and so a colour
	Family, State, Rule, Bound string
	Sources                    []string
	Links                      []link
}

func newPage(in Input) (page, error) {
	doc := in.Document
	l := newLabels(doc.Runs)
	ids := identifiers(doc.Runs)
	style := strings.TrimSpace(pageCSS) + "\n" + l.css()
	p := page{
		Policy: policy(style, pageJS), Style: template.CSS(style), Script: template.JS(pageJS),
		Title: "Rate limiters compared", Legend: l.legend(), Overview: newOverview(doc, l, ids),
		Measures: measures, Command: shown(in.Command), Version: shown(doc.Tool.Version), Made: shown(doc.Tool.Name),
	}
	if len(doc.Runs) == 1 {
		p.Title = shown(doc.Runs[0].Scenario)
	}
	for i := range doc.Runs {
		s := newScenario(&doc.Runs[i], ids[i], l)
		var err error
		if s.Plots, err = plots(in, i, l); err != nil {
			return page{}, err
		}
		p.Scenarios = append(p.Scenarios, s)
	}
	for _, a := range in.Algorithms {
		p.Promises = append(p.Promises, newPromise(a, l))
	}
	return p, nil
}

func newScenario(r *report.Run, id string, l *labels) scenario {
	s := scenario{
		ID: id, Name: shown(r.Scenario), Question: shown(r.Question), Partial: r.Partial, Verdict: verdict(r),
		Facts: facts(r), Rows: rowsOf(r, l), Findings: findingsOf(r, l), Notes: allShown(r.Notes), Hashes: hashes(r, l),
	}
	s.Missed, s.Expected = expectations(r)
	return s
}

// plots are the charts of run i: those over time where its course is known, with that of the time scales, where it has
// any, before the sums.
func plots(in Input, i int, l *labels) ([]plot, error) {
	var levels, scales, sums []plot
	if len(in.Charts) > 0 {
		timelines, err := curves.Timelines(in.Charts[i])
		if err != nil {
			return nil, err
		}
		for _, t := range timelines {
			switch t.Drawing {
			case curves.Level:
				levels = append(levels, levelPlot(t, l))
			case curves.Sum:
				sums = append(sums, sumPlot(t, l))
			}
		}
	}
	if s := curves.NewTimescale(&in.Document.Runs[i]); s != nil {
		scales = append(scales, scalesPlot(s, l))
	}
	return slices.Concat(levels, scales, sums), nil
}

func facts(r *report.Run) []term {
	list := []term{
		{"limit", fmt.Sprintf("%s per %s", chart.Exact(r.Limit.Requests), chart.Each(float64(r.Limit.WindowUS)))},
		{"burst", chart.Exact(r.Limit.Burst)},
		{"keys", chart.Exact(r.Keys)},
		{"duration", span(r.DurationUS) + " of " + shown(r.Clock) + " time"},
		{"seed", strconv.FormatUint(r.Seed, 10)},
		{"decided by", shown(r.Server.String())},
	}
	if len(r.ClientGroups) > 0 {
		list = append(list, term{"clients", strings.Join(allShown(r.ClientGroups), ", ")})
	}
	return list
}

// expectations says what the scenario's file expects, the missed ones in full.
func expectations(r *report.Run) (missed []string, sum string) {
	var met, checked int
	for _, e := range r.Expectations {
		switch {
		case e.Met == nil:
			continue
		case *e.Met:
			met++
		default:
			got := "nothing"
			if e.Got != nil {
				got = number(*e.Got)
			}
			missed = append(missed, shown(fmt.Sprintf("%s: %s is %s, expected %s", e.Algorithm, e.Measure, got,
				e.Want)))
		}
		checked++
	}
	switch total := len(r.Expectations); {
	case total == 0:
		return nil, ""
	case checked == 0:
		return nil, count(int64(total), "expectation") + ", none of them checked"
	case checked < total:
		return missed, fmt.Sprintf("%d of %s met, %d not checked", met, count(int64(checked), "expectation"),
			total-checked)
	}
	return missed, fmt.Sprintf("%d of %s met", met, count(int64(checked), "expectation"))
}

// hashes is what proves that figures were made again, to the byte.
func hashes(r *report.Run, l *labels) sheet.Table {
	t := tableOf("Decisions, scripts and parameters",
		sheet.Column{Name: "decisions SHA-256", Words: true, Help: "over a line t_us,key,cost,0|1 for each request"},
		sheet.Column{Name: "script SHA-1", Words: true},
		sheet.Column{Name: "parameters", Words: true, Help: "all of them, defaults included"})
	for i := range r.Results {
		row := &r.Results[i]
		t.Rows = append(t.Rows, rowOf(l.of(row.Algorithm),
			sheet.Cells(row.DecisionsSHA256, row.ScriptSHA1, parameters(row))...))
	}
	foot := rowOf(l.of(report.ReferenceLabel), sheet.Cells(r.Reference.DecisionsSHA256, "", "")...)
	foot.Faint = true
	t.Rows = append(t.Rows, foot)
	return t
}

func parameters(row *report.Row) string {
	var list []string
	for name, value := range row.Parameters {
		list = append(list, name+"="+value)
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

func newPromise(a Algorithm, l *labels) promise {
	p := promise{Family: shown(a.Family), State: shown(a.State), Rule: shown(a.Rule), Bound: shown(a.Bound)}
	for _, s := range a.Sources {
		if strings.HasPrefix(s, "https://") {
			p.Links = append(p.Links, link{s, shown(s)})
		} else {
			p.Sources = append(p.Sources, shown(s))
		}
	}
	_, p.Named = l.index[a.Name]
	p.Name = label{Text: shown(a.Name)}
	if p.Named {
		p.Name = l.of(a.Name)
	}
	return p
}

// plain are the names that can stand in an address as they are.
var plain = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)

// identifiers are the addresses of the scenarios within the page: their names where these can be, and a number
// otherwise.
func identifiers(runs []report.Run) []string {
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
