package main

import (
	"github.com/spf13/cobra"

	"ratelab/internal/cli"
	"ratelab/internal/limits"
)

const aboutLimits = `Say what the clients of a log use, and which limits reject few of them.

For windows of 1 s, 1 min and 1 h: how much the clients ask for in their busiest one, and the least
limit that rejects nobody, 0.1 %, 1 % and 5 % of them, or so many of the requests; for six rates
the least burst. All are exact. With --limit: who would be rejected, how often, first and last.

Exit codes: 0 ok, 2 usage or a log that cannot be read, 3 output failed, 130 interrupted.`

const examplesLimits = `  simulate limits --trace access.log.gz --limit 20/1m,100/1m    whom these two would reject
  zcat access.log.*.gz | simulate limits --trace -              a log from a pipe
  simulate limits --trace calls.csv --trace-key user --trace-time at --trace-cost tokens`

// limitsFlags are those of limits.
type limitsFlags struct {
	cli.Traffic
	cli.Output
	limits []string
}

// limits looks at a log.
func (a *app) limits() *cobra.Command {
	var f limitsFlags
	c := &cobra.Command{
		Use: "limits --trace FILE", Short: "What the clients of a log use, and whom a limit would reject",
		Long: aboutLimits, Example: examplesLimits,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.look(&f) },
	}
	f.Traffic.Register(c, a.Streams, false)
	c.MarkFlagRequired("trace")
	c.Flags().StringArrayVar(&f.limits, "limit", nil, "`REQUESTS/WINDOW` such as 100/1m, or several, comma separated")
	f.FormatFlag(c, limits.Forms.Names())
	f.QuietFlag(c)
	return c
}
