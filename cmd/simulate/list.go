package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ratelab/algorithms"
	"ratelab/internal/cli"
	"ratelab/internal/message"
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

// list is the command that lists what is built in.
func (a *app) list() *cobra.Command {
	names := slices.Concat([]string{measuresWord}, algorithms.Names(), sequence.Names(), scenario.Names())
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
			name, _, _ := strings.Cut(args[0], ":") // a label with parameters is its algorithm's
			if name == measuresWord {
				return measures().WriteTerminal(a.Stdout, t)
			}
			if slices.Contains(scenario.Names(), name) {
				_, err := a.Stdout.Write(scenario.Source(name))
				return err
			}
			for _, r := range append(scripts(), sequences()...) {
				if r.name == name {
					return r.write(a.Stdout, t)
				}
			}
			return cli.Usage("list: %s is no algorithm, sequence or scenario%s; simulate list shows all",
				message.Quote(args[0]), message.DidYouMean(name, names))
		},
	}
}
