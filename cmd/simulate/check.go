package main

import (
	"github.com/spf13/cobra"

	"ratelab/internal/cli"
	"ratelab/internal/redis"
	"ratelab/internal/report"
)

// golden is the committed document in a folder of results: results for this project's own, or a folder of the user.
const (
	golden  = "simulate.json"
	results = "results"
)

const aboutCheck = `Run everything again and compare the figures exactly with the committed results.

Without a FOLDER, check runs every built-in scenario with every algorithm, and compares with this
project's results. With a FOLDER, it runs every scenario in it with every script in it, and with
the algorithms that the scenarios' expect names. All expectations must hold, and the figures must
equal those in FOLDER/simulate.json. NAME.lua is a script, NAME.yaml is its binding, and any other
YAML file is a scenario. After an intended change, --accept writes the new figures.

Exit codes: 0 ok, 1 results differ or an expectation is missed, 2 usage, 3 no server, 130
interrupted.`

const examplesCheck = `  simulate check limits --accept             write limits/simulate.json: a folder of your own
  simulate check limits                      in CI: exit code 1 names the first difference
  simulate check limits --redis process      on your redis-server: its decisions must be the same`

// checkForms are the formats of the verdict. The table is written as lines: see checkAgain.
var checkForms = func() report.Formats {
	f := report.VerdictFormats
	f.SARIF = true
	return f
}()

// checkFlags are the flags of check.
type checkFlags struct {
	cli.Limiters
	cli.Output
	accept bool
	redis  string
}

// check returns the command that compares with committed results.
func (a *app) check() *cobra.Command {
	var f checkFlags
	c := &cobra.Command{
		Use: "check [FOLDER]", Short: "Compare all figures exactly with the committed results",
		Long: aboutCheck, Example: examplesCheck,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 && (f.Scripts != nil || f.Algorithms != nil) {
				return cli.Usage("--script and --algorithms: need a FOLDER of your own")
			}
			return a.checkAgain(c, &f, args)
		},
	}
	c.Flags().BoolVar(&f.accept, "accept", false, "write new results instead of comparing")
	cli.ServerFlag(c, &f.redis, redis.KindAuto, scriptServers)
	f.AlgorithmsFlag(c)
	f.ScriptFlag(c)
	f.ForceFlag(c)
	f.FormatFlag(c, checkForms.Names())
	f.ReportFlag(c)
	c.MarkFlagsMutuallyExclusive("accept", "format")
	c.MarkFlagsMutuallyExclusive("accept", "report")
	f.QuietFlag(c)
	return c
}
