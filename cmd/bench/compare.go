package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ratelab/algorithms"
	"ratelab/internal/bench"
	"ratelab/internal/commandline"
	"ratelab/internal/recording"
	"ratelab/internal/regress"
	"ratelab/internal/wording"
)

// compareFlags are those of bench compare.
type compareFlags struct {
	*commandline.Groups
	commandline.Output

	base, head, as string
	algorithms     []string
	redis          string
	pairs          commandline.Count
	segment        commandline.Duration
	warmUp         commandline.Duration
	connections    commandline.Count
	mix            string
}

func (f *compareFlags) register(c *cobra.Command) {
	f.pairs = commandline.Count{Value: bench.DefaultPairs, Least: 1, Most: 1000}
	f.segment = segmentTime(bench.DefaultPairSegment)
	f.warmUp = warmUpTime(bench.DefaultPairWarmUp)
	f.connections = connections()
	f.Groups = commandline.NewGroups(c)
	f.Add("Two sides, measured in turn", f.sides)
	f.Add("Output", func(fs *pflag.FlagSet) {
		f.FormatFlag(fs, regress.Formats())
		f.FolderFlag(fs, "", "comparison.json and .md, and for --base and --head paired.json and samples for benchstat (default of these: "+defaultFolder+")")
		f.QuietFlag(fs)
	})
	f.Complete(c, map[string][]string{
		"algorithms": algorithms.Names(),
		"as":         algorithms.Names(),
		"format":     regress.Formats(),
		"mix":        recording.Mixes(),
		"redis":      serverWords,
	})
}

func (f *compareFlags) sides(fs *pflag.FlagSet) {
	fs.StringVar(&f.base, "base", "", "the old `SIDE`: a script, an algorithm or a server")
	fs.StringVar(&f.head, "head", "", "the new `SIDE`")
	fs.StringVar(&f.as, "as", "", "call scripts without a binding as the built-in algorithm of this `LABEL` is called")
	fs.StringSliceVarP(&f.algorithms, "algorithms", "a", nil, "on two servers: `NAMES`, comma separated, of what to run (default all)")
	fs.StringVar(&f.redis, "redis", "", "of two scripts: `SERVER`: "+serverKinds+" (default: a container where Docker answers, else a process)")
	fs.Var(&f.pairs, "pairs", "measure each side `N` times; fewer than 20 give no verdict on timings")
	fs.Var(&f.segment, "segment", "`TIME` of one measurement")
	fs.Var(&f.warmUp, "warm-up", "`TIME` before each measurement that is not counted")
	fs.Var(&f.connections, "connections", "`N` connections")
	fs.StringVar(&f.mix, "mix", recording.MixHalf, "`MIX` of the requests: "+strings.Join(recording.Mixes(), ", "))
}

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

// check refuses flags that do not go together.
func (f *compareFlags) check() error {
	if err := f.Empty(); err != nil {
		return err
	}
	if f.Given("base") != f.Given("head") {
		given, other := "base", "head"
		if f.Given("head") {
			given, other = other, given
		}
		return commandline.Usage("--%s: there is no --%s to compare it with", given, other)
	}
	output := []string{"format", "out", "quiet"}
	stray := f.FirstGiven(func(name string) bool { return !slices.Contains(output, name) })
	if f.base == "" && stray != "" {
		return commandline.Usage("--%s: goes with --base and --head; what OLD and NEW hold is measured already", stray)
	}
	if !slices.Contains(recording.Mixes(), f.mix) {
		return commandline.Usage("--mix %s: %s", wording.Quote(f.mix), wording.OneOf(f.mix, recording.Mixes()))
	}
	return f.CheckFormat(regress.Formats())
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
		job.Progress = p
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
