package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"ratelab/internal/bench"
	"ratelab/internal/benchresult"
	"ratelab/internal/commandline"
	"ratelab/internal/compare"
	"ratelab/internal/message"
)

// compare is the command that judges.
func (a *app) compare() *cobra.Command {
	var f compareFlags
	c := &cobra.Command{
		Use:   "compare OLD NEW | --base SIDE --head SIDE [scenario …] [flags]",
		Short: "Say whether a change made it slower, or different",
		Long:  aboutCompare,
		Args:  cobra.ArbitraryArgs,
	}
	c.DisableFlagsInUseLine = true
	f.register(c)
	commandline.Help(c, f.Groups, "")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.check(); err != nil {
			return err
		}
		if f.base != "" {
			return a.compareSides(cmd.Context(), &f, args)
		}
		return a.compareFiles(&f, args)
	}
	return c
}

// compareFiles compares two results that are there.
func (a *app) compareFiles(f *compareFlags, args []string) error {
	if len(args) != 2 {
		return commandline.Usage("compare: got %s; want OLD and NEW, or --base and --head", files(len(args)))
	}
	older, err := benchresult.Read(args[0])
	younger, err2 := benchresult.Read(args[1])
	if err := errors.Join(err, err2); err != nil {
		return badInput(err)
	}
	report, err := compare.Files(older, younger)
	if err != nil {
		return commandline.Usage("%s and %s: %w", message.Path(args[0]), message.Path(args[1]), err)
	}
	report.Base.Name, report.Head.Name = args[0], args[1]
	if f.Folder == "" {
		return a.judge(f.Format, report, func() error { return nil }, verdictOf(report))
	}
	if err := commandline.RefuseForeign("--out", f.Folder, reportNames...); err != nil {
		return err
	}
	giveBack, err := commandline.MakeFolder("--out", f.Folder)
	if err != nil {
		return err
	}
	defer giveBack() // which leaves what was written
	return a.judge(f.Format, report, func() error { return kept(f.Folder, writeReport(f.Folder, report)) }, verdictOf(report))
}

// kept is an error of writing into a folder.
func kept(folder string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("--out %s: %w", message.Path(folder), commandline.WithoutPath(err))
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
	if f.Folder == "" {
		f.Folder = defaultFolder
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
		verdict = fmt.Errorf("%w: the verdict is on the pairs that were finished, and says so", commandline.ErrInterrupted)
	}
	return a.judge(f.Format, report, func() error { return a.keepPaired(f, found, report) }, verdict)
}

// keepPaired writes what was measured, and the comparison, and says where.
func (a *app) keepPaired(f *compareFlags, found *benchresult.Paired, report *compare.Report) error {
	if err := commandline.RefuseForeign("--out", f.Folder, pairedNames...); err != nil { // it came during the run
		return err
	}
	if err := writePaired(f.Folder, found, report); err != nil {
		return kept(f.Folder, err)
	}
	if !f.Quiet {
		fmt.Fprintf(a.Stderr, "bench: paired.json, comparison.json and .md and samples for benchstat are in %s\n", message.Path(f.Folder))
	}
	return nil
}

// judge prints the comparison, writes the files, and ends with the verdict.
func (a *app) judge(format string, report *compare.Report, files func() error, verdict error) error {
	return commandline.Deliver(a.Stdout, func() error { return compare.Forms.Write(a.Stdout, format, report, commandline.Terminal(a.Stdout)) }, files, verdict)
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
