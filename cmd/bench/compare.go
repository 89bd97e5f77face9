package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"ratelab/internal/bench"
	"ratelab/internal/commandline"
	"ratelab/internal/recording"
	"ratelab/internal/regress"
	"ratelab/internal/wording"
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
	older, err := recording.Read(args[0])
	younger, err2 := recording.Read(args[1])
	if err := errors.Join(err, err2); err != nil {
		return badInput(err)
	}
	report, err := regress.Files(older, younger)
	if err != nil {
		return commandline.Usage("%s and %s: %w", wording.Path(args[0]), wording.Path(args[1]), err)
	}
	report.Base.Name, report.Head.Name = args[0], args[1]
	if f.Folder != "" {
		giveBack, err := commandline.MakeFolder("--out", f.Folder)
		if err != nil {
			return err
		}
		if err := writeReport(f.Folder, report); err != nil {
			giveBack()
			return fmt.Errorf("--out %s: %w", wording.Path(f.Folder), commandline.WithoutPath(err))
		}
	}
	return a.judge(f.Format, report)
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
	giveBack, err := commandline.MakeFolder("--out", f.Folder)
	if err != nil {
		return err
	}
	found, err := watched(a, f.Quiet, func(p bench.Progress) (*recording.Paired, error) {
		job.Progress, job.Notice = p, a.Notices("bench", f.Quiet)
		return job.Run(ctx)
	})
	if err != nil {
		giveBack()
		return serverFault(err)
	}
	report := regress.Paired(found)
	if err := writePaired(f.Folder, found, report); err != nil {
		return fmt.Errorf("--out %s: %w", wording.Path(f.Folder), commandline.WithoutPath(err))
	}
	if !f.Quiet {
		fmt.Fprintf(a.Stderr, "bench: paired.json, comparison.json and .md and samples for benchstat are in %s\n", wording.Path(f.Folder))
	}
	err = a.judge(f.Format, report)
	if found.Partial {
		return fmt.Errorf("%w: the verdict is on the pairs that were finished, and says so", commandline.ErrInterrupted)
	}
	return err
}

// judge prints the comparison and ends with its verdict.
func (a *app) judge(format string, report *regress.Report) error {
	if err := regress.Write(a.Stdout, format, report); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	if report.Verdict.ExitCode == commandline.ExitOK {
		return nil
	}
	return commandline.Exit(report.Verdict.ExitCode, fmt.Errorf("%s", verdictLine(report)))
}

// verdictLine is the verdict in one line for the log of a CI job: its first finding, and how many more there are.
func verdictLine(report *regress.Report) string {
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
