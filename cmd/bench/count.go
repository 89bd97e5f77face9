package main

import (
	"github.com/spf13/cobra"

	"ratelab/internal/cli"
	"ratelab/internal/costs"
	"ratelab/internal/counting"
	"ratelab/internal/load"
	"ratelab/internal/recommend"
	"ratelab/internal/redis"
)

// count returns the command that writes the table of costs, for make costs. The help does not list it, since bench
// compare counts two scripts.
func (a *app) count() *cobra.Command {
	var l cli.Limiters
	var o cli.Output
	c := &cobra.Command{
		Use: "count", Short: "Count what a decision takes of what simulate recommend may answer with, as costs.csv",
		Hidden: true, Args: cobra.NoArgs,
	}
	l.AlgorithmsFlag(c)
	o.QuietFlag(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		if l.Algorithms == nil {
			l.Algorithms = recommend.Priced()
		}
		choices, err := l.Choices()
		if err != nil {
			return err
		}
		bar := a.NewBar(o.Quiet)
		defer bar.Finish()
		done := 0
		job := counting.Job{Server: redis.KindProcess, Clock: load.Wall,
			Progress: func(where string, _, ofOne int) {
				bar.Count(where, done, ofOne*len(choices))
				done++
			}}
		figures, err := counting.Fit(c.Context(), job, choices)
		if err != nil {
			return countingFault(err)
		}
		return costs.Write(a.Stdout, figures)
	}
	return c
}
