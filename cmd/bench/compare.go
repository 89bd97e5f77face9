package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"ratelab/internal/bench"
	"ratelab/internal/benchresult"
	"ratelab/internal/commandline"
	"ratelab/internal/compare"
	"ratelab/internal/message"
	"ratelab/internal/result"
)

// compare is the command that judges.
func (a *app) compare() *cobra.Command {
	var f compareFlags
	c := &cobra.Command{
		Use:   "compare --base SIDE --head SIDE [scenario …] [flags]",
		Short: "Say whether a change made it slower, or different",
		Long:  aboutCompare,
		Args:  cobra.ArbitraryArgs,
	}
	c.DisableFlagsInUseLine = true
	f.register(c)
	commandline.Help(c, f.Groups, "")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.check(args); err != nil {
			return err
		}
		return a.compareSides(cmd.Context(), &f, args)
	}
	return c
}

// noSides refuses a comparison of nothing, and says what else there is for the results of two runs.
func noSides(args []string) error {
	if len(args) == 2 && isResult(args[0]) && isResult(args[1]) {
		return commandline.Usage("compare: results of two runs are not compared; measure both versions in one run " +
			"with --base " +
			"and --head, or give the samples to benchstat: benchstat OLD/bench.txt NEW/bench.txt")
	}
	return commandline.Usage("compare: there is nothing to compare; want --base SIDE and --head SIDE")
}

// isResult reports whether a path is a result of bench, or a folder that has one.
func isResult(path string) bool {
	_, _, err := result.Read(path, result.Bench, result.Paired)
	return err == nil
}

// compareSides measures both sides and compares them.
func (a *app) compareSides(ctx context.Context, f *compareFlags, args []string) error {
	job, err := a.comparison(f, args)
	if err != nil {
		return err
	}
	if err := job.Check(); err != nil {
		return err
	}
	if err := commandline.RefuseForeign("--out", f.Folder, pairedNames...); err != nil {
		return err
	}
	giveBack, err := commandline.MakeFolder("--out", f.Folder)
	if err != nil {
		return err
	}
	found, err := watched(a, f.Quiet, func(p bench.Progress) (*benchresult.Paired, error) {
		job.Progress, job.Notice = p, a.Notices("bench", f.Quiet)
		return job.Run(ctx)
	})
	if err != nil {
		giveBack()
		return serverFault(err)
	}
	report := compare.Paired(found)
	verdict := verdictOf(report)
	if found.Partial {
		verdict = fmt.Errorf("%w: the verdict is on what was finished, and says so",
			commandline.ErrInterrupted)
	}
	figures := func() error { return compare.Forms.Write(a.Stdout, f.Format, report, f.Terminal(a.Stdout)) }
	return commandline.Deliver(a.Stdout, figures, func() error { return a.keepPaired(f, found, report) }, verdict)
}

// keepPaired writes what was measured, and the comparison, and says where.
func (a *app) keepPaired(f *compareFlags, found *benchresult.Paired, report *compare.Report) error {
	if err := commandline.RefuseForeign("--out", f.Folder, pairedNames...); err != nil { // it came during the run
		return err
	}
	if err := writePaired(f.Folder, found, report); err != nil {
		return fmt.Errorf("--out %s: %w", message.Path(f.Folder), commandline.WithoutPath(err))
	}
	if !f.Quiet {
		fmt.Fprintf(a.Stderr, "bench: paired.json, comparison.json and .md and samples for benchstat are in %s\n",
			message.Path(f.Folder))
	}
	return nil
}

// verdictOf is the exit code of the comparison, with its reason.
func verdictOf(report *compare.Report) error {
	if report.Verdict.ExitCode == commandline.ExitOK {
		return nil
	}
	return commandline.Exit(report.Verdict.ExitCode, fmt.Errorf("%s", verdictLine(report)))
}

// verdictLine is the verdict in one line for the log of a CI job: its first finding, and how many more there are.
func verdictLine(report *compare.Report) string {
	v := report.Verdict
	line := string(v.Outcome)
	if len(v.Findings) > 0 {
		line = v.Findings[0]
	}
	if more := len(v.Findings) - 1; more > 0 {
		line += fmt.Sprintf(" (and %d more)", more)
	}
	return line
}
