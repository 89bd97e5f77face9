package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"ratelab/algorithms"
	"ratelab/internal/curves"
	"ratelab/internal/examine"
	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/measure"
	"ratelab/internal/message"
	"ratelab/internal/report"
	"ratelab/internal/result"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
	"ratelab/internal/script"
)

// The names of the visitor's files, for messages and for the command that repeats the run.
const scriptName, bindingName = "my.lua", "my.yaml"

// The parts of an answer.
const (
	partPlay    = "play"    // the visitor's script and the built-in limiters in the scenario
	partExamine = "examine" // the findings of standard traffic at the limit
	partCell    = "cell"    // only the script in the scenario, under its own limit, as one figure
)

// question is a question of the visitor. Empty texts mean those of the scenario.
type question struct {
	Part     string `json:"part"`
	Script   string `json:"script"`
	Binding  string `json:"binding"`
	Scenario string `json:"scenario"`
	Limit    string `json:"limit"`
	Contract string `json:"contract"`
}

// file returns the visitor's script with its binding.
func (q *question) file() script.File {
	texts := map[string]string{scriptName: q.Script, bindingName: q.Binding}
	return script.File{Name: scriptName, Read: func(name string) ([]byte, error) {
		if text, ok := texts[name]; ok {
			return []byte(text), nil
		}
		return nil, fmt.Errorf("%w: the page has %s and %s", fs.ErrNotExist, scriptName, bindingName)
	}}
}

// instead returns the limit that the visitor chose in place of the scenario's.
func (q *question) instead() (instead run.Instead, err error) {
	instead.Limit = script.OwnLimit([]script.File{q.file()})
	if q.Limit != "" {
		all, err := limit.ParseLimits(q.Limit)
		if err != nil {
			return instead, err
		}
		instead.Limit = &all[0].Policy // the answer has a note if there are several
	}
	if q.Contract != "" {
		c, err := limit.ParseContract(q.Contract)
		if err != nil {
			return instead, err
		}
		instead.Contract = &c
	}
	return instead, nil
}

// command returns the command that gives the same answer on a terminal.
func (q *question) command() string {
	words := "simulate " + q.Scenario + " --script " + scriptName
	if q.Limit != "" {
		words += " --limit " + q.Limit
	}
	if q.Contract != "" {
		words += " --contract " + q.Contract
	}
	return words
}

// answer holds everything that the page shows for one run. The visitor's row and curve come first.
type answer struct {
	Sentence string   `json:"sentence"`
	Holds    bool     `json:"holds"`
	Lead     []string `json:"lead"`
	Tables   []table  `json:"tables"`
	Notes    []string `json:"notes"`
	Chart    *chart   `json:"chart"` // nil if nothing was admitted
	Command  string   `json:"command"`
	Document string   `json:"document"` // as written by simulate --format json
}

// table is a report.Table as JSON.
type table struct {
	Columns []string        `json:"columns"`
	Help    []string        `json:"help"`
	Rows    [][]report.Cell `json:"rows"`
}

// chart is the rolling window, with the visitor's curve first.
type chart struct {
	curves.Timeline
	Allowed int64
	Allows  string // the name of the allowed amount
}

// examination describes a result.Examination in words.
type examination struct {
	Lead     []string  `json:"lead"`
	Findings []finding `json:"findings"`
	Checked  string    `json:"checked"` // what was tried and found correct
}

type finding struct {
	Fault    bool   `json:"fault"`
	Name     string `json:"name"` // of a fault, in words
	Text     string `json:"text"`
	File     string `json:"file"`     // the name of the scenario file that shows it
	Scenario string `json:"scenario"` // its YAML; "" if it needs no traffic
	Chart    *chart `json:"chart"`    // that traffic; nil if the fault is not about what is admitted
}

// engine answers questions one at a time.
type engine struct {
	beat func() // called repeatedly during the work
	on   *host
}

func newEngine(beat func()) *engine {
	return &engine{beat, &host{beat: beat, watch: &watch{Context: context.Background()}}}
}

// Scenario implements run.Progress.
func (e *engine) Scenario(string, int, int, int64) { e.beat() }

// Requests implements run.Progress.
func (e *engine) Requests(int64) { e.beat() }

// ask answers a question with an *answer, an *examination or a report.Cell, depending on its part. The error is shown
// to the visitor.
func (e *engine) ask(ctx context.Context, q *question) (any, error) {
	w := e.on.watch
	w.ended = false
	found, err := e.find(ctx, q)
	if err != nil && w.ended {
		line := append(place.FindStringSubmatch(err.Error()), "", "")[1]
		err = fmt.Errorf("%s%s: the script gave no answer for %v: it loops, or is far too slow", scriptName, line,
			patience)
	}
	return found, err
}

func (e *engine) find(ctx context.Context, q *question) (any, error) {
	instead, err := q.instead()
	if err != nil {
		return nil, err
	}
	s, err := scenario.Load(q.Scenario)
	if err != nil {
		return nil, err
	}
	job := run.Ask{Scenarios: []*scenario.Scenario{s}, Scripts: []script.File{q.file()},
		Instead: instead, Progress: e, Version: version}
	switch q.Part {
	case partExamine:
		return e.examine(ctx, q, run.NewPlan(s, instead).Policy)
	case partCell:
		job.Algorithms, job.Limit, s.Expect, s.Sequences = []algorithms.Choice{}, nil, nil, nil
	}
	found, err := job.Run(ctx, e.on)
	switch {
	case err != nil:
		return nil, err
	case q.Part == partCell:
		return report.CellOf(found.Document.Runs[0].Find(e.on.own)), nil
	}
	return e.answer(q, found)
}

// answer describes the result of a run.
func (e *engine) answer(q *question, found *run.Result) (*answer, error) {
	r := &found.Document.Runs[0]
	var text bytes.Buffer
	if err := result.Write(&text, &found.Document); err != nil {
		return nil, err
	}
	own := r.Find(e.on.own)
	a := &answer{Holds: own.Excess == 0, Sentence: sentence(r, own), Tables: tables(r, own), Command: q.command(),
		Document: text.String(), Chart: chartOf(found, own.Algorithm)}
	part := report.Simulated{}.Formats().Sheet(&found.Document)[0]
	a.Lead, a.Notes = texts(part.Lead), texts(part.Notes)
	if first, _, several := strings.Cut(q.Limit, "+"); several {
		a.Notes = append(a.Notes, "note: this page plays one limit, the first: "+first)
	}
	return a, nil
}

func texts(lines []report.Line) (all []string) {
	for _, l := range lines {
		all = append(all, strings.TrimSpace(l.Term+" "+l.Text))
	}
	return all
}

// sentence returns the answer in one sentence without the full stop, because the page may add faults.
func sentence(r *result.Run, own *result.Row) string {
	window := report.Each(r.Limit.WindowUS)
	switch {
	case own.Excess > 0 && r.Limit.Contract == limit.ByBucket:
		return fmt.Sprintf("Your limiter breaks the limit here: in one interval it admitted %s × the bucket",
			report.Times(own.XLimit))
	case own.Excess > 0:
		return fmt.Sprintf("Your limiter breaks the limit here: it admitted %s in %s, %s × the %s allowed",
			message.Grouped(own.Peak), window, report.Times(own.XLimit), message.Grouped(r.Limit.Requests))
	case own.Lost > report.Tolerated:
		return fmt.Sprintf("Your limiter holds the limit here and rejects %s of what an exact limiter admits",
			report.Percent(own.Lost))
	}
	return "Your limiter holds the limit here and admits what an exact limiter admits"
}

// tables returns the tables as on a terminal. The first one begins with the visitor's row, even if another row decides
// alike.
func tables(r *result.Run, own *result.Row) (all []table) {
	only, others := *r, *r
	only.Results = []result.Row{*own}
	others.Results = slices.DeleteFunc(slices.Clone(r.Results), func(row result.Row) bool {
		return row.Algorithm == own.Algorithm
	})
	shown := slices.Concat(measure.DecisionMeasures.Shown(measure.Table, r.Figures()),
		measure.CostMeasures.Shown(measure.Table, r.Figures()))
	mine := report.Tables(&only, measure.Table, shown)
	for i, t := range report.Tables(&others, measure.Table, shown) {
		if i < len(mine) {
			t.Rows = slices.Concat(mine[i].Rows, t.Rows)
		}
		all = append(all, asJSON(&t))
	}
	return all
}

func asJSON(t *report.Table) (all table) {
	for _, c := range t.Columns {
		all.Columns = append(all.Columns, strings.TrimSpace(c.Group+" "+strings.ReplaceAll(c.Name, "\n", " ")))
		all.Help = append(all.Help, c.Help)
	}
	for _, r := range t.Rows {
		all.Rows = append(all.Rows, r.Cells)
	}
	return all
}

// chartOf returns the rolling window, or nil if there is nothing to draw.
func chartOf(found *run.Result, own string) *chart {
	if len(found.Charts) == 0 {
		return nil
	}
	all := curves.Timelines(found.Charts[0])
	i := slices.IndexFunc(all, func(t curves.Timeline) bool { return t.Name == "window" })
	if i < 0 {
		return nil
	}
	c := charted(all[i])
	c.Curves = c.Shown()
	i = slices.IndexFunc(c.Curves, func(l curves.Curve) bool { return l.Label == own })
	c.Curves = slices.Concat(c.Curves[i:i+1], c.Curves[:i], c.Curves[i+1:])
	return c
}

// charted returns a chart of all curves.
func charted(t curves.Timeline) *chart {
	c := &chart{Timeline: t}
	c.Allowed, c.Allows = t.Allows()
	return c
}

// examine returns the findings of standard traffic.
func (e *engine) examine(ctx context.Context, q *question, asked limit.Policy) (*examination, error) {
	script := examine.Script{At: limiter.OfFile(q.file()).At, Asked: &asked,
		Engine: &host{beat: e.beat, watch: e.on.watch}}
	x, err := script.Examine(ctx)
	if err != nil {
		return nil, err
	}
	about := script.Engine.About()
	x.Server = &about
	all := &examination{Lead: texts(report.Examined(x)), Findings: []finding{}, Checked: report.Checked(x)}
	for i := range x.Findings {
		f := &x.Findings[i]
		one := finding{Fault: f.Fault, Name: f.Name, Text: f.String(), File: examine.FileName(x, f)}
		if f.Requests > 0 {
			one.Scenario = string(examine.Scenario(x, f))
		}
		if all := curves.Counterexample(x.Algorithm, f); all != nil {
			one.Chart = charted(all[1])
			one.Chart.Curves = append(one.Chart.Curves, *all[1].Reference)
		}
		all.Findings = append(all.Findings, one)
	}
	return all, nil
}
