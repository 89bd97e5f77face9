package main

import (
	"github.com/spf13/cobra"

	"ratelab/internal/commandline"
	"ratelab/internal/result"
	"ratelab/internal/scenario"
)

// version is set by the linker.
var version = ""

// run is the program: arguments and streams in, exit code out.
func run(args []string, s commandline.Streams) int {
	return commandline.Execute(newRoot(&app{s}), args, s)
}

// app is what the commands share.
type app struct{ commandline.Streams }

func newRoot(a *app) *cobra.Command {
	var f flags
	f.Streams = a.Streams
	root := &cobra.Command{
		Use:     "simulate [scenario or file …] [flags]",
		Short:   "Replay traffic against rate limiters' Lua in virtual time",
		Long:    about,
		Example: examples,
		Version: commandline.Version(version),
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.simulate(cmd.Context(), &f, args)
		},
		ValidArgsFunction: commandline.CompleteScenarios,
	}
	f.register(root)
	root.AddCommand(a.list(), a.validate(), a.schema(), a.check(), a.recommend(), a.worst(), a.compare(), a.limits(),
		a.tune(), a.clean())
	commandline.StrictHelp(root)
	commandline.Help(root, f.Groups, closing)
	return root
}

// schema prints the JSON Schemas of what the program reads and writes.
func (a *app) schema() *cobra.Command {
	return commandline.SchemaCommand(a.Streams, "Print the JSON Schema of scenario files (the default) or of a result",
		[]string{"scenario", "result", "recommendation", "worst", "usage", "tune", "change"}, map[string][]byte{
			"scenario": scenario.Schema(), "result": result.Schema(result.Simulation),
			"recommendation": result.Schema(result.Recommendation),
			"worst":          result.Schema(result.Worst),
			"usage":          result.Schema(result.Usage),
			"tune":           result.Schema(result.Tune),
			"change":         result.Schema(result.Change),
		})
}
