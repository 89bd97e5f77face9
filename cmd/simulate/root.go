package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ratelab/internal/commandline"
	"ratelab/internal/message"
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
			if err := slipOfACommand(cmd, args); err != nil {
				return err
			}
			return a.simulate(cmd.Context(), &f, args)
		},
		ValidArgsFunction: commandline.CompleteScenarios,
	}
	f.register(root)
	root.AddCommand(a.list(), a.validate(), a.schema(), a.check(), a.recommend(), a.worst(), a.compare(), a.limits(),
		a.tune(), a.merge(), a.clean())
	commandline.StrictHelp(root)
	commandline.Help(root, f.Groups, closing)
	return root
}

// slipOfACommand refuses a first word that is no scenario, and looks more like a command.
func slipOfACommand(root *cobra.Command, args []string) error {
	if len(args) == 0 || slices.Contains(scenario.Names(), args[0]) || strings.ContainsAny(args[0], `./\`) {
		return nil
	}
	word := args[0]
	if word == "version" {
		return commandline.Usage("%s: no such scenario or command; did you mean simulate --version?",
			message.Quote(word))
	}
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	near, ok := message.Nearest(word, append(names, scenario.Names()...))
	if !ok || !slices.Contains(names, near) {
		return nil
	}
	return commandline.Usage("%s: no such scenario or command; did you mean simulate %s?", message.Quote(word), near)
}

// schema prints the JSON Schemas of what the program reads and writes.
func (a *app) schema() *cobra.Command {
	return commandline.SchemaCommand(a.Streams, "Print the JSON Schema of scenario files (the default) or of a result",
		[]string{"scenario", "result", "recommendation", "worst", "usage", "tune", "change", "shard"},
		map[string][]byte{
			"scenario": scenario.Schema(), "result": result.Schema(result.Simulation),
			"recommendation": result.Schema(result.Recommendation),
			"worst":          result.Schema(result.Worst),
			"usage":          result.Schema(result.Usage),
			"tune":           result.Schema(result.Tune),
			"change":         result.Schema(result.Change),
			"shard":          result.Schema(result.Shard),
		})
}
