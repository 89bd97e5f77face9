package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ratelab/internal/cli"
	"ratelab/internal/message"
	"ratelab/internal/redis"
	"ratelab/internal/report"
	"ratelab/internal/scenario"
)

const about = `Run traffic against rate limiters in virtual time and show what they admit (default: all built-in).
Exit codes: 0 ok, 1 an expectation missed, 2 usage, 3 no server, 130 interrupted.`

// The values of --redis when users' scripts take part, in messages and in help, and the values for simulate itself.
const (
	scriptKinds   = redis.KindAuto + ", " + redis.Kinds
	scriptServers = "auto (default), embedded, process, container, URL"
	serverKinds   = scriptKinds + ", or model"
)

// flags are the flags of the root command.
type flags struct {
	cli.Limiters
	cli.Traffic
	cli.Output

	redis, decisions, more string
	all                    bool
	columns                []string
}

// simulate returns the root command.
func (a *app) simulate() *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use: "simulate [scenario or file …]", Version: cli.Version(version),
		Short: "Replay traffic against rate limiters' Lua in virtual time",
		Long:  about,
		Args:  slipOfACommand, ValidArgsFunction: cli.CompleteScenarios,
		RunE: func(c *cobra.Command, args []string) error {
			if f.Files != nil && len(args) == 0 && !slices.ContainsFunc(done, c.Flags().Changed) {
				// without these flags, show which limits fit the log
				return a.look(c.Context(), &limitsFlags{Traffic: f.Traffic, Output: f.Output})
			}
			return a.play(c, &f, args)
		},
	}
	f.AlgorithmsFlag(c)
	f.ScriptFlag(c)
	f.SweepFlag(c)
	f.LimitFlags(c)
	f.AllowSeveral(c)
	f.Traffic.Register(c, a.Streams, true)
	f.Traffic.RegisterSpans(c, true)
	cli.ServerFlag(c, &f.redis, redis.KindAuto, scriptServers+", model")
	f.FormatFlag(c, report.Simulated{}.Formats().Names())
	fs := c.Flags()
	fs.StringSliceVar(&f.columns, "columns", nil, "columns `NAMES` of the table or CSV; see simulate list measures")
	fs.BoolVar(&f.all, "all", false, "print a table for every scenario, even if there are many")
	f.FolderFlags(c, "results/latest", "charts, index.html and data")
	fs.StringVar(&f.decisions, "decisions", "", "write one CSV row per decision to `FILE`")
	fs.StringVar(&f.more, "with", "", "append the rows of `FILE`, such as those of libraries, to the tables")
	f.QuietFlag(c)
	cli.Complete(c, "columns", report.CSVColumns())
	return c
}

// done are the flags that say what to do with a log.
var done = []string{"limit", "algorithms", "script", "decisions"}

// slipOfACommand refuses a first argument that is not a scenario and resembles a command.
func slipOfACommand(root *cobra.Command, args []string) error {
	if len(args) == 0 || args[0] == "" || slices.Contains(scenario.Names(), args[0]) || strings.ContainsAny(args[0],
		`./\`) {
		return nil
	}
	root.SuggestionsMinimumDistance = 2
	if near := root.SuggestionsFor(args[0]); len(near) > 0 {
		return cli.Usage("%s: no such scenario or command; did you mean simulate %s?", message.Quote(args[0]),
			near[0])
	}
	return nil
}
