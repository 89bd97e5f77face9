package main

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ratelab/algorithms"
	"ratelab/internal/commandline"
	"ratelab/internal/measure"
	"ratelab/internal/message"
	"ratelab/internal/scenario"
	"ratelab/internal/sequence"
	"ratelab/internal/sheet"
)

const aboutList = `Show what there is: the algorithms with their parameters, the sequences of commands, and the
built-in scenarios. A NAME is one of those, with all that is to be said of it: of an algorithm the
head of its script, of a scenario its file, to begin your own with. list measures has every
measure: its name in JSON, and in a scenario's expect where that may hold it to a value.`

const examplesList = `  simulate list                       everything, in short
  simulate list gcra                  an algorithm: rule, bound, parameters, state, cost
  simulate list poisson > mine.yaml   a scenario's file, to begin with
  simulate list measures              what the figures are called, and what they mean
  simulate list --format json         for other programs`

// list shows what there is to choose from.
func (a *app) list() *cobra.Command {
	var o commandline.Output
	c := &cobra.Command{
		Use:     "list [NAME | measures] [flags]",
		Short:   "Show the algorithms with their parameters, and the built-in scenarios; or the measures",
		Long:    aboutList,
		Example: examplesList,
		Args:    cobra.ArbitraryArgs,
	}
	c.DisableFlagsInUseLine = true
	c.ValidArgs = slices.Concat([]string{measuresWord}, algorithms.Names(), sequence.Names(), scenario.Names())
	groups := commandline.NewGroups(c)
	groups.Add("Output", func(fs *pflag.FlagSet) { o.FormatFlag(fs, catalogueForms.Names()) })
	groups.Complete(c, map[string][]string{"format": catalogueForms.Names()})
	c.RunE = func(_ *cobra.Command, args []string) error {
		if err := o.CheckFormat(catalogueForms.Names()); err != nil {
			return err
		}
		terminal := commandline.Terminal(a.Stdout).Or(usualWidth)
		switch {
		case len(args) > 1:
			return commandline.Usage("list: %s: want one name", message.Quote(args[1]))
		case len(args) == 1 && args[0] == measuresWord && o.Format == tableForm:
			return measures().WriteTerminal(a.Stdout, terminal)
		case len(args) == 1 && args[0] == measuresWord:
			return commandline.Usage("list measures: there is no other form than a table")
		}
		all, err := wholeCatalogue()
		if err != nil {
			return err
		}
		if len(args) == 1 {
			if all, err = all.only(args[0]); err != nil {
				return err
			}
		}
		return catalogueForms.Write(a.Stdout, o.Format, all, terminal)
	}
	commandline.Help(c, groups, "")
	return c
}

// usualWidth is that of the tables where no terminal says otherwise.
const usualWidth = 100

// measuresWord asks for the measures.
const measuresWord = "measures"

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
