package main

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ratelab/algorithms"
	"ratelab/internal/cli"
	"ratelab/internal/measure"
	"ratelab/internal/message"
	"ratelab/internal/report"
	"ratelab/internal/scenario"
	"ratelab/internal/sequence"
)

const aboutList = `List the algorithms with their parameters, the sequences of commands, and the built-in scenarios.
With NAME, list shows one of them in full: an algorithm with the head of its script, or the file of
a scenario, from which you can make your own. list measures shows every measure, by its name in JSON
and in expect.`

const examplesList = `  simulate list gcra                  an algorithm: rule, bound, parameters, state, cost
  simulate list poisson > mine.yaml   a scenario's file, as a start for your own`

// measuresWord is the argument that lists the measures.
const measuresWord = "measures"

// list returns the command that lists what is built in.
func (a *app) list() *cobra.Command {
	names := slices.Concat([]string{measuresWord}, algorithms.Names(), sequence.Names(), scenario.Names())
	for _, s := range algorithms.OfEnds() {
		names = append(names, s.Name)
	}
	return &cobra.Command{
		Use: "list [NAME | measures]", Short: "List algorithms, sequences, scenarios and measures",
		Long: aboutList, Example: examplesList,
		Args: cobra.MaximumNArgs(1), ValidArgs: names,
		RunE: func(_ *cobra.Command, args []string) error {
			t := a.Terminal(false).Or(100)
			if len(args) == 0 {
				all, err := everything()
				if err != nil {
					return err
				}
				return all.WriteTerminal(a.Stdout, t)
			}
			name, _, _ := strings.Cut(args[0], ":") // a label with parameters names its algorithm
			if name == measuresWord {
				return measures().WriteTerminal(a.Stdout, t)
			}
			if slices.Contains(scenario.Names(), name) {
				_, err := a.Stdout.Write(scenario.Source(name))
				return err
			}
			for _, r := range slices.Concat(scripts(algorithms.All()), scripts(algorithms.OfEnds()), sequences()) {
				if r.name == name {
					return r.write(a.Stdout, t)
				}
			}
			return cli.Usage("list: %s is no algorithm, sequence or scenario%s; simulate list shows all",
				message.Quote(args[0]), message.DidYouMean(name, names))
		},
	}
}

// rule describes an algorithm or a sequence of commands.
type rule struct {
	name, title, rule string
	limits            string // its guarantee, or its danger
	parameters        []parameter
	sources           []string
	head              string // the comment at the beginning of its script
}

type parameter struct{ name, usual, doc string }

func scripts(of []algorithms.Algorithm) (all []rule) {
	for _, s := range of {
		head := regexp.MustCompile(`^(--.*\n)+`).FindString(s.Script())
		all = append(all, rule{s.Name, fmt.Sprintf("%s (%s)", s.Name, s.Family), s.Rule, s.Bound,
			inWords(s.Parameters, false), s.Sources, regexp.MustCompile(`(?m)^-- ?`).ReplaceAllString(head, "")})
	}
	return all
}

// inWords describes parameters. With spelled, a parameter with a fixed set of words lists these words.
func inWords(parameters []algorithms.Parameter, spelled bool) (all []parameter) {
	for _, p := range parameters {
		kind := strings.ToUpper(string(p.Kind))
		if spelled && p.Kind == algorithms.OneOf {
			kind = strings.Join(p.Words, "|")
		}
		all = append(all, parameter{":" + p.Name + "=" + kind, p.Default, p.Doc})
	}
	return all
}

func sequences() (all []rule) {
	for _, s := range sequence.All() {
		all = append(all, rule{s.Name, s.Name, s.Rule, s.Danger, inWords(s.Parameters, true), s.Sources, ""})
	}
	return all
}

// write writes the full description of r.
func (r *rule) write(w io.Writer, t report.Terminal) error {
	part := report.Part{Title: r.title, Lead: []report.Line{{Text: r.rule}}}
	switch {
	case r.head == "":
		part.Lead = append(part.Lead, report.Line{Text: "danger: " + r.limits})
	case r.limits != "":
		part.Lead = append(part.Lead, report.Line{Text: "bound: " + r.limits})
	}
	if r.parameters != nil {
		part.Tables = []report.Table{parameterTable([]rule{*r}, false)}
	}
	for _, s := range r.sources {
		part.Notes = append(part.Notes, report.Items("source: "+s)...)
	}
	if err := (report.Sheet{part}).WriteTerminal(w, t); err != nil || r.head == "" {
		return err
	}
	_, err := io.WriteString(w, "\nThe head of its script\n\n"+r.head)
	return err
}

// parameterTable lists the parameters of rules without duplicates. With owned, it adds a column with their owners.
func parameterTable(rules []rule, owned bool) report.Table {
	t := report.Table{Columns: []report.Column{{Name: "parameter", Words: true},
		{Name: "default", Words: true, Widest: 18, Narrowest: 10, Break: report.BreakWords}, sentences("what it does")}}
	if owned {
		t.Columns = append(t.Columns, report.Column{Name: "of", Words: true, Widest: 24, Narrowest: 16,
			Break: report.BreakList})
	}
	var all []parameter
	owners := map[parameter][]string{}
	for _, r := range rules {
		for _, p := range r.parameters {
			if owners[p] == nil {
				all = append(all, p)
			}
			owners[p] = append(owners[p], r.name)
		}
	}
	for _, p := range all {
		cells := []string{p.name, p.usual, p.doc, strings.Join(owners[p], ", ")}
		t.Rows = append(t.Rows, report.TableRow{Cells: report.Cells(cells[:len(t.Columns)]...)})
	}
	return t
}

// sentences returns a column of sentences.
func sentences(name string) report.Column {
	return report.Column{Name: name, Words: true, Widest: 36, Narrowest: 16, Break: report.BreakWords}
}

// ruleTable returns a table with a row per rule.
func ruleTable(kind, limits string, rules []rule) report.Table {
	t := report.Table{Columns: []report.Column{{Name: kind, Words: true}, sentences("rule"), sentences(limits)}}
	for _, r := range rules {
		t.Rows = append(t.Rows, report.TableRow{Cells: report.Cells(r.name, r.rule, r.limits)})
	}
	return t
}

// everything returns a short list of all that is built in.
func everything() (report.Sheet, error) {
	all, err := scenario.Builtin()
	if err != nil {
		return nil, err
	}
	scenarios := report.Table{Columns: []report.Column{{Name: "scenario", Words: true}, {Name: "limit", Words: true},
		sentences("question")}}
	for _, s := range all {
		cells := report.Cells(s.Name, s.Limit.String(), s.Question)
		scenarios.Rows = append(scenarios.Rows, report.TableRow{Cells: cells})
	}
	plain, ends := scripts(algorithms.All()), scripts(algorithms.OfEnds())
	rows := rule{name: "any but none", parameters: inWords(algorithms.RowParameters(), false)}
	return report.Sheet{
		{Title: "Algorithms", Tables: []report.Table{ruleTable("algorithm", "bound", plain)}},
		{Title: "Algorithms for requests that end", Tables: []report.Table{ruleTable("algorithm", "bound", ends)}},
		{Title: "Parameters, as in gcra:burst=100",
			Tables: []report.Table{parameterTable(slices.Concat(plain, ends, []rule{rows}), true)}},
		{Title: "Sequences of commands without a script, which a scenario names in sequences: […]",
			Tables: []report.Table{ruleTable("sequence", "danger", sequences()), parameterTable(sequences(), true)}},
		{Title: "Scenarios", Tables: []report.Table{scenarios}},
	}, nil
}

// measures lists all measures, by subject. Those of one of several limits end in the limit's name.
func measures() (s report.Sheet) {
	for _, about := range append(measure.Subjects(), measure.LimitMeasures) {
		t := report.Table{Columns: []report.Column{
			{Name: "measure", Words: true}, {Name: "unit", Words: true}, {Name: "better", Words: true,
				Leaves: 2}, {Name: "expect", Words: true, Leaves: 1}, {Name: "what it is", Words: true, Widest: 70,
				Narrowest: 20, Break: report.BreakWords},
		}}
		for i := range about.Measures {
			m := &about.Measures[i]
			if m.In&(measure.Written|measure.Expected) == 0 {
				continue // shows a measure that is already listed
			}
			expected := map[bool]string{true: "yes", false: "no"}[m.In&measure.Expected != 0]
			name := m.Name
			if about == measure.LimitMeasures {
				name += ":LIMIT"
			}
			t.Rows = append(t.Rows, report.TableRow{Cells: report.Cells(name, string(m.Unit), m.Better.String(),
				expected, m.Help)})
		}
		s = append(s, report.Part{Title: about.Name, Tables: []report.Table{t}})
	}
	return s
}
