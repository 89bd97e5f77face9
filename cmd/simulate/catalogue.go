package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"ratelab/algorithms"
	"ratelab/internal/commandline"
	"ratelab/internal/message"
	"ratelab/internal/scenario"
	"ratelab/internal/sequence"
	"ratelab/internal/sheet"
)

// catalogue is what there is to choose from.
type catalogue struct {
	Algorithms    []listedAlgorithm `json:"algorithms"`
	RowParameters []listedParameter `json:"row_parameters,omitempty"` // of a row of any algorithm
	Sequences     []listedSequence  `json:"sequences"`
	Scenarios     []listedScenario  `json:"scenarios"`

	one bool // it was asked for by name
}

type listedAlgorithm struct {
	Name       string            `json:"name"`
	Family     string            `json:"family"`
	Rule       string            `json:"rule"`
	Bound      string            `json:"bound,omitempty"`
	Parameters []listedParameter `json:"parameters"`
	Sources    []string          `json:"sources"`

	head string // of its script
}

type listedParameter struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"`
	Default string `json:"default"`
	Doc     string `json:"doc"`
}

type listedSequence struct {
	Name       string            `json:"name"`
	Rule       string            `json:"rule"`
	Danger     string            `json:"danger"`
	Parameters []listedParameter `json:"parameters"`
	Sources    []string          `json:"sources"`
}

type listedScenario struct {
	Name     string `json:"name"`
	Limit    string `json:"limit"`
	Question string `json:"question"`

	file string
}

const tableForm = "table"

// catalogueForms are those in which a catalogue can be written.
var catalogueForms = sheet.Forms[*catalogue]{
	{Name: tableForm, Write: func(w io.Writer, c *catalogue, t sheet.Terminal) error { return c.write(w, t) }},
	sheet.Everywhere("json", func(w io.Writer, c *catalogue) error {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(c)
	}),
}

// wholeCatalogue is everything.
func wholeCatalogue() (*catalogue, error) {
	c := &catalogue{RowParameters: parametersOf(algorithms.RowParameters())}
	for _, s := range algorithms.All() {
		c.Algorithms = append(c.Algorithms, listedAlgorithm{Name: s.Name, Family: s.Family, Rule: s.Rule,
			Bound:      s.Bound,
			Parameters: parametersOf(s.Parameters), Sources: s.Sources, head: headOf(s.Script())})
	}
	for _, s := range sequence.All() {
		listed := listedSequence{Name: s.Name, Rule: s.Rule, Danger: s.Danger, Sources: s.Sources}
		for _, p := range s.Parameters {
			listed.Parameters = append(listed.Parameters, listedParameter{p.Name, p.Kind(), p.Usual(), p.Doc})
		}
		c.Sequences = append(c.Sequences, listed)
	}
	all, err := scenario.Builtin()
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		c.Scenarios = append(c.Scenarios, listedScenario{s.Name, s.Limit.String(), s.Question,
			string(scenario.Source(s.Name))})
	}
	return c, nil
}

func parametersOf(all []algorithms.Parameter) []listedParameter {
	listed := make([]listedParameter, len(all))
	for i, p := range all {
		listed[i] = listedParameter{p.Name, strings.ToUpper(string(p.Kind)), p.Default, p.Doc}
	}
	return listed
}

// headOf is the comment with which a script begins.
func headOf(source string) string {
	var lines []string
	for line := range strings.Lines(source) {
		text, comment := strings.CutPrefix(strings.TrimRight(line, "\n"), "--")
		if !comment {
			break
		}
		lines = append(lines, strings.TrimPrefix(text, " "))
	}
	return strings.Join(lines, "\n")
}

// only is what has that name; a name with parameters is that of its algorithm.
func (c *catalogue) only(name string) (*catalogue, error) {
	name, _, _ = strings.Cut(name, ":")
	found := &catalogue{one: true, Algorithms: []listedAlgorithm{}, Sequences: []listedSequence{},
		Scenarios: []listedScenario{}}
	var names []string
	for _, a := range c.Algorithms {
		if names = append(names, a.Name); a.Name == name {
			found.Algorithms = append(found.Algorithms, a)
			return found, nil
		}
	}
	for _, s := range c.Sequences {
		if names = append(names, s.Name); s.Name == name {
			found.Sequences = append(found.Sequences, s)
			return found, nil
		}
	}
	for _, s := range c.Scenarios {
		if names = append(names, s.Name); s.Name == name {
			found.Scenarios = append(found.Scenarios, s)
			return found, nil
		}
	}
	if near, ok := message.Nearest(name, append(names, measuresWord)); ok {
		return nil, commandline.Usage("list: %s is nothing that can be listed; did you mean %q?",
			message.Quote(name), near)
	}
	return nil, commandline.Usage("list: %s is nothing that can be listed; want an algorithm, a sequence, a scenario, "+
		"measures, or no name for all of them", message.Quote(name))
}

// write writes the catalogue for people; of a single scenario its file, as it is.
func (c *catalogue) write(w io.Writer, t sheet.Terminal) error {
	if c.one && len(c.Scenarios) == 1 {
		return commandline.Print(w, c.Scenarios[0].file)
	}
	if err := c.sheet().WriteTerminal(w, t); err != nil {
		return err
	}
	if c.one && len(c.Algorithms) == 1 {
		return commandline.Print(w, "\nThe head of its script\n\n"+c.Algorithms[0].head+"\n")
	}
	return nil
}

func (c *catalogue) sheet() sheet.Sheet {
	if c.one {
		return c.details()
	}
	described := func(name string) []sheet.Column {
		return []sheet.Column{{Name: name, Words: true}, words("rule"), words("bound")}
	}
	rules := sheet.Table{Columns: described("algorithm")}
	var shared sharing
	for _, a := range c.Algorithms {
		rules.Rows = append(rules.Rows, sheet.TableRow{Cells: sheet.Cells(a.Name, a.Rule, a.Bound)})
		for _, p := range a.Parameters {
			shared.add(p, a.Name)
		}
	}
	for _, p := range c.RowParameters {
		shared.add(p, "any but none")
	}
	sequences := sheet.Table{Columns: []sheet.Column{{Name: "sequence", Words: true}, words("rule"), words("danger")}}
	var ofSequences sharing
	for _, s := range c.Sequences {
		sequences.Rows = append(sequences.Rows, sheet.TableRow{Cells: sheet.Cells(s.Name, s.Rule, s.Danger)})
		for _, p := range s.Parameters {
			ofSequences.add(p, s.Name)
		}
	}
	scenarios := sheet.Table{Columns: []sheet.Column{{Name: "scenario", Words: true}, {Name: "limit", Words: true},
		words("question")}}
	for _, s := range c.Scenarios {
		scenarios.Rows = append(scenarios.Rows, sheet.TableRow{Cells: sheet.Cells(s.Name, s.Limit, s.Question)})
	}
	return sheet.Sheet{
		{Title: "Algorithms", Tables: []sheet.Table{rules}},
		{Title: "Parameters, as in gcra:burst=100", Tables: []sheet.Table{shared.table()}},
		{Title: "Sequences of commands without a script, which a scenario names in sequences: […]",
			Tables: []sheet.Table{sequences, ofSequences.table()}},
		{Title: "Scenarios", Tables: []sheet.Table{scenarios}},
	}
}

// details are those of what was asked for by name.
func (c *catalogue) details() sheet.Sheet {
	if len(c.Algorithms) > 0 {
		a := c.Algorithms[0]
		part := sheet.Part{Title: fmt.Sprintf("%s (%s)", a.Name, a.Family), Lead: []sheet.Line{{Text: a.Rule}}}
		if a.Bound != "" {
			part.Lead = append(part.Lead, sheet.Line{Text: "bound: " + a.Bound})
		}
		return sheet.Sheet{with(part, a.Parameters, a.Sources)}
	}
	s := c.Sequences[0]
	part := sheet.Part{Title: s.Name, Lead: []sheet.Line{{Text: s.Rule}, {Text: "danger: " + s.Danger}}}
	return sheet.Sheet{with(part, s.Parameters, s.Sources)}
}

// with completes a part.
func with(part sheet.Part, parameters []listedParameter, sources []string) sheet.Part {
	if len(parameters) > 0 {
		part.Tables = []sheet.Table{parameterTable(parameters, nil)}
	}
	for _, s := range sources {
		part.Notes = append(part.Notes, sheet.Items("source: "+s)...)
	}
	return part
}

// words is a column of sentences.
func words(name string) sheet.Column {
	return sheet.Column{Name: name, Words: true, Widest: 36, Narrowest: 16, Break: sheet.BreakWords}
}

// sharing are parameters, each with those that have it.
type sharing struct {
	all    []listedParameter
	owners [][]string
}

func (s *sharing) add(p listedParameter, owner string) {
	i := slices.Index(s.all, p)
	if i < 0 {
		i = len(s.all)
		s.all, s.owners = append(s.all, p), append(s.owners, nil)
	}
	s.owners[i] = append(s.owners[i], owner)
}

func (s *sharing) table() sheet.Table { return parameterTable(s.all, s.owners) }

// parameterTable has the parameters, and whose they are where that is not plain.
func parameterTable(all []listedParameter, owners [][]string) sheet.Table {
	t := sheet.Table{Columns: []sheet.Column{{Name: "parameter", Words: true},
		{Name: "default", Words: true, Widest: 18, Narrowest: 10, Break: sheet.BreakWords}, words("what it does")}}
	if owners != nil {
		t.Columns = append(t.Columns, sheet.Column{Name: "of", Words: true, Widest: 24, Narrowest: 16,
			Break: sheet.BreakList})
	}
	for i, p := range all {
		cells := sheet.Cells(fmt.Sprintf(":%s=%s", p.Name, p.Kind), p.Default, p.Doc)
		if owners != nil {
			cells = append(cells, sheet.Cell{Text: strings.Join(owners[i], ", ")})
		}
		t.Rows = append(t.Rows, sheet.TableRow{Cells: cells})
	}
	return t
}
