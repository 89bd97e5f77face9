package main

import (
	"github.com/spf13/cobra"

	"ratelab/internal/cli"
	"ratelab/internal/recommend"
)

const aboutRecommend = `Say which limiter to take. Only settings that guarantee the limit on any traffic are considered;
their price decides: what they reject that an exact limiter admits, the bytes of a key, the work of
a decision.

A limit means never more than L in any window, or L per window on average and a burst at once:
where no --contract, --burst or file says which, each has its pick. Without a scenario or log,
twelve standard traffics are played. Scenarios about clocks, sequences and faults are refused.

Exit codes: 0 ok, 2 usage or invalid input, 3 the harness could not run, 130 interrupted.`

const examplesRecommend = `  simulate recommend --limit 100/1m --burst 20             100 a minute on average, 20 at once
  simulate recommend extreme-case-1 --contract window      for a scenario
  simulate recommend --limit 100/1m --trace access.log.gz  for your own traffic`

// recommendFlags are those of recommend.
type recommendFlags struct {
	cli.Limiters
	cli.Traffic
	cli.Output
}

// recommend says which limiter to take.
func (a *app) recommend() *cobra.Command {
	var f recommendFlags
	c := &cobra.Command{
		Use: "recommend [scenario or file …]", Short: "Which limiter to take",
		Long: aboutRecommend, Example: examplesRecommend,
		ValidArgsFunction: cli.CompleteScenarios,
		RunE:              func(c *cobra.Command, args []string) error { return a.recommended(c.Context(), &f, args) },
	}
	f.ScriptFlag(c)
	f.LimitFlags(c)
	f.Traffic.Register(c, a.Streams, false)
	f.FormatFlag(c, recommend.Forms.Names())
	f.QuietFlag(c)
	return c
}
