package main

import (
	"github.com/spf13/cobra"

	"ratelab/internal/cli"
)

// The committed document, in the folder of this project's results, or in that of somebody's own scenarios.
const (
	golden  = "simulate.json"
	results = "results"
)

const aboutCheck = `Decide everything again and compare with the committed results, exactly.

Without a FOLDER: every built-in scenario with every algorithm, against the document and the page
of this project's results. With a FOLDER of yours: every scenario in it meets every script in it,
and the rows that the scenarios expect something of; what they expect must hold, and the figures
must be those of the simulate.json there. NAME.lua is a script, NAME.yaml beside it its binding,
any other YAML file a scenario. If a change is meant, --accept writes what the next check wants.

Exit codes: 0 ok, 1 results differ or an expectation is missed, 2 usage, 3 no server, 130
interrupted.`

const examplesCheck = `  simulate check limits --accept             write limits/simulate.json: a folder of your own
  simulate check limits                      in CI: exit code 1 names the first difference`

// checkFlags are those of check.
type checkFlags struct {
	cli.Limiters
	cli.Output
	accept bool
}

// check is the exact gate.
func (a *app) check() *cobra.Command {
	var f checkFlags
	c := &cobra.Command{
		Use: "check [FOLDER]", Short: "Whether everything still decides as the committed results say, exactly",
		Long: aboutCheck, Example: examplesCheck,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 && (f.Scripts != nil || f.Algorithms != nil) {
				return cli.Usage("--script and --algorithms: go with a FOLDER of your own")
			}
			return a.checkAgain(c, &f, args)
		},
	}
	c.Flags().BoolVar(&f.accept, "accept", false, "write the results anew instead of comparing")
	f.AlgorithmsFlag(c)
	f.ScriptFlag(c)
	f.ForceFlag(c)
	f.QuietFlag(c)
	return c
}
