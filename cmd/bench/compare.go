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
	"ratelab/internal/message"
	"ratelab/internal/result"
)

const aboutCompare = `Count the work of two scripts on the same requests, and give a verdict as the exit code: 0 same,
1 regression, 4 inconclusive. It takes half a minute and does not depend on the machine's speed. A
SIDE is the label of an algorithm, or a script with a binding beside it or called as --as says. The
scenarios are those whose decisions must be the same (default: built-in ones).

A regression is a decision that differs, more work per decision (Redis commands, bytes, memory,
keys), or over 1 % more instructions on a path (4 % in a container). A path is a state of the key
under a limit: first (a new key), steady, burst (at one instant), rejected, cost B (all at once),
full log. valgrind counts instructions on a server of its own. To compare times, use benchstat:
  bench run --script old.lua --script new.lua --rounds 10 --format bench |
    go tool benchstat -col /algorithm -`

// compareFlags are those of bench compare.
type compareFlags struct {
	cli.Sides
	cli.Output
	redis   string
	without bool
	states  cli.Value[[]string]
}

// privateServers are the values of --redis where everything is counted.
const privateServers = "process, process=PATH, container or container=IMAGE"

// compare is the command that compares two scripts' work.
func (a *app) compare() *cobra.Command {
	var f compareFlags
	c := &cobra.Command{
		Use: "compare [scenario …]", Short: "Check whether a changed script decides differently, or costs more",
		Long: aboutCompare, ValidArgsFunction: cli.CompleteScenarios,
		RunE: func(c *cobra.Command, args []string) error { return a.compareSides(c.Context(), &f, args) },
	}
	f.Register(c)
	cli.ServerFlag(c, &f.redis, "", "process or container[=IMAGE] (default: found)")
	c.Flags().BoolVar(&f.without, "without-instructions", false, "count only decisions, commands and bytes")
	f.states = cli.Words(counting.States())
	c.Flags().Var(&f.states, "states", "count instructions only in these `STATES` of a key (default all)")
	f.FormatFlag(c, counting.Forms.Names())
	f.QuietFlag(c)
	c.MarkFlagsMutuallyExclusive("states", "without-instructions")
	cli.Complete(c, "states", counting.States())
	return c
}

// compareSides counts both sides and compares them.
func (a *app) compareSides(ctx context.Context, f *compareFlags, args []string) error {
	sides, err := f.Limiters()
	if err != nil {
		return err
	}
	list, err := cli.LoadScenarios(args)
	if err != nil {
		return err
	}
	bar := a.NewBar(f.Quiet)
	defer bar.Finish()
	job := &bench.Comparison{
		Sides: sides, Scenarios: list, Server: f.redis, WithoutInstructions: f.without, States: f.states.Value,
		Now: time.Now, Sleep: load.Wait, Stop: a.Stop, Progress: bar.Count,
	}
	doc, err := job.Run(ctx)
	bar.Finish()
	if err != nil {
		return countingFault(err)
	}
	doc.Tool.Version = cli.Version(version)
	err = counting.Forms.Write(a.Stdout, f.Format.Value, doc, a.Terminal(f.Quiet))
	if err != nil {
		return err
	}
	return verdict(&doc.Verdicts[0])
}

// verdict is the exit code of a comparison, with the first finding.
func verdict(v *result.Verdict) error {
	code, known := map[result.Outcome]int{result.Regression: cli.ExitMissed,
		result.Inconclusive: cli.ExitInconclusive}[v.Outcome]
	if !known {
		return nil
	}
	more := ""
	if n := len(v.Findings) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	return cli.Exit(code, errors.New(v.Findings[0]+more))
}

// countingFault words what kept from counting.
func countingFault(err error) error {
	var missing *counting.Missing
	switch {
	case errors.Is(err, message.ErrStopped):
		return fmt.Errorf("%w: nothing was compared", cli.ErrInterrupted)
	case errors.As(err, &missing):
		return cli.Exit(cli.ExitInconclusive,
			fmt.Errorf("%w; --without-instructions compares the rest", err))
	}
	return serverFault(err, privateServers)
}
