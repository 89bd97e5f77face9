package main

import (
	"github.com/spf13/cobra"

	"ratelab/algorithms"
	"ratelab/internal/cli"
	"ratelab/internal/examine"
	"ratelab/internal/redis"
)

const aboutExamine = `Examine a limiter's script: what kind of limiter it is, and what is wrong with it.

Standard traffic at the limit shows faults, such as a key that never expires, and properties of a
kind of limiter, such as twice the limit at the edge of a window. A script has its binding beside
it: FILE.lua and FILE.yaml. Of a limit above 200, 100 per window are examined if the binding passes
the limit. Three more limits are tried, which a finding names. With --out, each finding has the
traffic that shows it in a scenario file.

Exit codes: 0 no fault, 1 a fault, 2 usage or invalid input, 3 the harness could not run, 4 not
examined, 130 interrupted.`

const examplesExamine = `  simulate examine my.lua --limit 100/1m
  simulate examine my.lua --limit 30/1s --burst 10 --out shown   and a scenario for each finding
  simulate examine gcra --format json                            a built-in limiter`

// examineFlags are those of examine.
type examineFlags struct {
	cli.Limiters
	cli.Output
	redis string
}

// examine is the command that examines limiters' scripts.
func (a *app) examine() *cobra.Command {
	var f examineFlags
	c := &cobra.Command{
		Use: "examine FILE.lua …", Short: "Examine a limiter's script for faults",
		Long: aboutExamine, Example: examplesExamine, Args: cobra.MinimumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return algorithms.Names(), cobra.ShellCompDirectiveDefault
		},
		RunE: func(c *cobra.Command, args []string) error { return a.examined(c.Context(), &f, args) },
	}
	f.LimitFlags(c)
	cli.ServerFlag(c, &f.redis, redis.KindEmbedded, "embedded (default), process, container")
	f.FormatFlag(c, examine.Forms.Names())
	c.Flags().StringVarP(&f.Folder, "out", "o", "", "write result.json and a scenario for each finding to `FOLDER`")
	f.ForceFlag(c)
	f.QuietFlag(c)
	return c
}
