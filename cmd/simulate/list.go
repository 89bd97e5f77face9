package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"ratelab/algorithms"
	"ratelab/internal/commandline"
	"ratelab/internal/measure"
	"ratelab/internal/message"
	"ratelab/internal/scenario"
	"ratelab/internal/sequence"
	"ratelab/internal/sheet"
)

// list shows what there is to choose from.
func (a *app) list() *cobra.Command {
	return &cobra.Command{
		Use:   "list [measures]",
		Short: "Show the algorithms with their parameters, and the built-in scenarios; or the measures",
		Long: "Shows the algorithms with their parameters, the sequences of commands and the built-in scenarios.\n\n" +
			"list measures shows every measure: its name in JSON, and in a scenario's expect where that may hold it " +
			"to a value.",
		ValidArgs: []string{"measures"},
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 1 && args[0] != "measures" {
				return commandline.Usage("list: %s is nothing that can be listed; want list, or list measures",
					message.Quote(args[len(args)-1]))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return measures().WriteTerminal(a.Stdout, commandline.Terminal(a.Stdout))
			}
			text, err := listing()
			if err != nil {
				return err
			}
			return commandline.Println(a.Stdout, text)
		},
	}
}

func listing() (string, error) {
	all, err := scenario.Builtin()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("Algorithms\n")
	for _, spec := range algorithms.All() {
		fmt.Fprintf(&b, "\n  %s (%s)\n", spec.Name, spec.Family)
		fmt.Fprintf(&b, "    %s\n", spec.Rule)
		if spec.Bound != "" {
			fmt.Fprintf(&b, "    bound: %s\n", spec.Bound)
		}
		listParameters(&b, spec.Parameters)
	}
	b.WriteString("\nA row of any algorithm but none, which is measured against the scenario's limit all the same\n")
	listParameters(&b, algorithms.RowParameters())
	listSequences(&b)
	b.WriteString("\nScenarios\n\n")
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, s := range all {
		fmt.Fprintf(t, "  %s\t%s\t%s\n", s.Name, s.Limit, s.Question)
	}
	err = t.Flush()
	return strings.TrimRight(b.String(), "\n"), err
}

func listParameters(b *strings.Builder, all []algorithms.Parameter) {
	for _, p := range all {
		fmt.Fprintf(b, "    :%s=%s  (default %s) %s\n", p.Name, strings.ToUpper(fmt.Sprint(p.Kind)), p.Default, p.Doc)
	}
}

// listSequences shows what a scenario may name in its field sequences.
func listSequences(b *strings.Builder) {
	b.WriteString("\nSequences of commands without a script, which a scenario names in sequences: […]\n")
	for _, spec := range sequence.All() {
		fmt.Fprintf(b, "\n  %s\n    %s\n    danger: %s\n", spec.Name, spec.Rule, spec.Danger)
		for _, p := range spec.Parameters {
			fmt.Fprintf(b, "    :%s=%s  (default %s) %s\n", p.Name, p.Kind(), p.Usual(), p.Doc)
		}
	}
}

// measures are all there are, by what they are about.
func measures() sheet.Sheet {
	var s sheet.Sheet
	for _, about := range measure.Subjects() {
		t := sheet.Table{Columns: []sheet.Column{
			{Name: "measure", Words: true}, {Name: "unit", Words: true}, {Name: "better", Words: true,
				Leaves: 2}, {Name: "expect", Words: true, Leaves: 1}, {Name: "what it is", Words: true, Widest: 70,
				Narrowest: 20, Break: sheet.BreakWords},
		}}
		for i := range about.Measures {
			m := &about.Measures[i]
			if m.In&(measure.Written|measure.Expected) == 0 {
				continue // another view of a measure
			}
			t.Rows = append(t.Rows, sheet.TableRow{Cells: sheet.Cells(m.Name, string(m.Unit), m.Better.String(),
				yesOrNo(m.In&measure.Expected != 0), m.Help)})
		}
		s = append(s, sheet.Part{Title: about.Name, Tables: []sheet.Table{t}})
	}
	return s
}

func yesOrNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}
