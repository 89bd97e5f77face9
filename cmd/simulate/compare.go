package main

import (
	"github.com/spf13/cobra"

	"ratelab/internal/cli"
	"ratelab/internal/redis"
)

const aboutCompare = `Say whether a changed script still decides as it did, exactly, without a Redis and in seconds.

Both sides decide the same requests at the same instants in virtual time: all built-in scenarios
without clients, or those that you name, and 10,000 generated requests at each of a few limits,
which seek what limiters break at. Who is admitted is compared, and after which delay; the first
request that is decided otherwise is named. A script without a binding is called as the algorithm
of its name is, or as --as says. Whether a change costs more commands or instructions, bench
compare says.

Exit codes: 0 the same decisions, 1 another decision, 2 usage, 3 no server, 130 interrupted.`

const examplesCompare = `  simulate compare --base old/limiter.lua --head limiter.lua  before a change is merged
  simulate compare --base gcra --head faster.lua --as gcra    both are called as gcra is`

// compareFlags are those of compare.
type compareFlags struct {
	cli.Sides
	cli.Output
	redis  string
	limits []string
	seed   cli.Value[*uint64]
}

// edgeLimits are those at which requests are generated where none is named.
const edgeLimits = "1000/3s,10/1s,100/1h,333/1s,1000000/24h"

// compare says whether a change decides otherwise.
func (a *app) compare() *cobra.Command {
	f := compareFlags{seed: cli.Seed()}
	c := &cobra.Command{
		Use: "compare [scenario or file …]", Short: "Whether a changed script still decides as it did",
		Long: aboutCompare, Example: examplesCompare,
		ValidArgsFunction: cli.CompleteScenarios,
		RunE:              func(c *cobra.Command, args []string) error { return a.compareSides(c, &f, args) },
	}
	f.Register(c)
	c.Flags().StringArrayVar(&f.limits, "limit", nil, "generate requests at `LIMITS` (default "+edgeLimits+")")
	c.Flags().Var(&f.seed, "seed", "a whole number `N` instead of each scenario's own seed")
	cli.ServerFlag(c, &f.redis, redis.KindEmbedded, "embedded (default), process, container, redis://…")
	f.QuietFlag(c)
	return c
}
