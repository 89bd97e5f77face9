package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"ratelab/internal/bench"
	"ratelab/internal/cli"
	"ratelab/internal/counting"
	"ratelab/internal/load"
	"ratelab/internal/result"
)

const aboutCompare = `Count the work of two scripts on the same requests, and give a verdict as the exit code: 0 same,
1 regression, 4 inconclusive. It takes half a minute. The counts do not depend on the machine's
speed, but a slow machine may leave paths out, which is inconclusive. A SIDE is the label of an
algorithm, or a script with a binding beside it or called as --as says. The scenarios are those
whose decisions must be the same (default: built-in ones).

A regression is a decision that differs, more work per decision (Redis commands, bytes, memory,
keys), or over 1 % more instructions on a path (4 % in a container). A path is a state of the key
under a limit: first (a new key), steady, burst (at one instant), rejected, cost B (all at once),
full log, changed (the limit was halved). valgrind counts instructions on a server of its own. To
compare times, use benchstat:
  bench run --script old.lua --script new.lua --rounds 10 --format bench |
    go tool benchstat -col /algorithm -`

// compare returns the command that compares the work of two scripts.
func (a *app) compare() *cobra.Command {
	var sides cli.Sides
	var o cli.Output
	job := bench.Comparison{Clock: load.Wall}
	states := cli.Words(counting.States())
	c := &cobra.Command{
		Use: "compare [scenario …]", Short: "Check whether a changed script decides differently, or costs more",
		Long: aboutCompare, ValidArgsFunction: cli.CompleteScenarios,
	}
	c.RunE = func(c *cobra.Command, args []string) (err error) {
		job.States = states.Value
		if job.Sides, err = sides.Limiters(); err == nil {
			job.Scenarios, err = cli.LoadScenarios(args)
		}
		if err != nil {
			return err
		}
		return a.compareSides(c.Context(), &job, &o)
	}
	sides.Register(c)
	cli.ServerFlag(c, &job.Server, "", "process or container[=IMAGE] (default: found)")
	c.Flags().BoolVar(&job.WithoutInstructions, "without-instructions", false,
		"count only decisions, commands and bytes")
	c.Flags().Var(&states, "states", "count instructions only in these `STATES` of a key (default all)")
	c.Flags().DurationVar(&job.Within, "within", 30*time.Second,
		"leave out what is not counted within `TIME` for a limit")
	o.FormatFlag(c, counting.Forms.Names())
	o.ReportFlag(c)
	o.QuietFlag(c)
	c.MarkFlagsMutuallyExclusive("states", "without-instructions")
	cli.Complete(c, "states", counting.States())
	return c
}

// compareSides counts the work of both sides and prints the verdict. The error has the exit code.
func (a *app) compareSides(ctx context.Context, job *bench.Comparison, o *cli.Output) error {
	bar := a.NewBar(o.Quiet)
	defer bar.Finish()
	job.Progress = bar.Count
	doc, err := job.Run(ctx)
	bar.Finish()
	if err != nil {
		return countingFault(err)
	}
	doc.Tool.Version = cli.Version(version)
	if err = counting.Forms.Write(a.Stdout, o.Format.Value, doc, a.Terminal(o.Quiet)); err != nil {
		return err
	}
	if err = counting.Forms.WriteReport(o.Report, doc); err != nil {
		return err
	}
	v := &doc.Verdicts[0]
	code, bad := map[result.Outcome]int{result.Regression: cli.ExitMissed,
		result.Inconclusive: cli.ExitInconclusive}[v.Outcome]
	if !bad {
		return nil
	}
	more := ""
	if n := len(v.Findings) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	return cli.Exit(code, errors.New(v.Findings[0]+more))
}
