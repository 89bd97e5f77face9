package main

import (
	"slices"

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
	root := &cobra.Command{
		Use:                   "bench COMMAND",
		Short:                 "Measure what rate limiters' Lua costs on a real server",
		Long:                  about,
		Example:               examples,
		Version:               commandline.Version(version),
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	root.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return c.Help()
		}
		return noCommand(c, args[0])
	}
	root.AddCommand(a.run(), a.cost(), a.compare(), a.merge(), a.plot(), a.show(), a.schema())
	commandline.StrictHelp(root)
	commandline.Help(root, nil, closing)
	return root
}

// noCommand refuses a word that is no command, but may be a scenario.
func noCommand(root *cobra.Command, word string) error {
	if slices.Contains(scenario.Names(), word) {
		return commandline.Usage("%s: no such command; did you mean bench run %s?", message.Quote(word), word)
	}
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return commandline.Usage("%s: no such command; %s", message.Quote(word), message.OneOf(word, names))
}

// schema prints the JSON Schemas of what the program writes.
func (a *app) schema() *cobra.Command {
	return commandline.SchemaCommand(a.Streams,
		"Print the JSON Schema of bench.json (the default) or of another document",
		[]string{"result", "paired", "comparison", "cost", "shard"}, map[string][]byte{
			"result": result.Schema(result.Bench), "paired": result.Schema(result.Paired),
			"comparison": result.Schema(result.Comparison), "cost": result.Schema(result.Cost),
			"shard": result.Schema(result.BenchShard),
		})
}
