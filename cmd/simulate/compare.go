package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ratelab/algorithms"
	"ratelab/internal/change"
	"ratelab/internal/commandline"
	"ratelab/internal/costresult"
	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/load"
	"ratelab/internal/message"
	"ratelab/internal/redisserver"
	"ratelab/internal/replay"
	"ratelab/internal/scenario"
)

const aboutCompare = `Say whether a changed script still decides as it did, exactly, without a Redis and in seconds.

Both sides decide the same requests at the same instants in virtual time: all built-in scenarios
without clients, or those that you name, and 10,000 generated requests at each of a few limits,
which seek what limiters break at: bursts of the limit's size, the edges of windows, one
microsecond to either side. The first request that is decided otherwise is named.

A SIDE is a script with its binding beside it, or one of the built-in algorithms. A script without
a binding is called as the algorithm of its name is, or as --as says. How much slower a change
made it, bench compare says, on a real server.`

const examplesCompare = `  simulate compare --base old/limiter.lua --head limiter.lua  before a change is merged
  simulate compare --base old/gcra.lua --head gcra --work     nor may it issue more commands
  simulate compare --base old/limiter.lua --head limiter.lua --verdicts   what is told may change
  simulate compare --base fixed-window --head gcra extreme-case-1   where two algorithms part`

const closingCompare = `Exit codes: 0 the same decisions · 1 another decision,
	or with --work more commands · 2 usage, or a script
that does not run · 3 the harness could not run · 130 interrupted, with what there was.
`

// compareFlags are those of compare.
type compareFlags struct {
	*commandline.Groups
	commandline.Output

	base, head, as string
	limits         []string
	seed           commandline.Seed
	verdicts, work bool
	redis          string
	eviction       bool
}

// compare says whether a change decides otherwise.
func (a *app) compare() *cobra.Command {
	var f compareFlags
	c := &cobra.Command{
		Use:               "compare --base SIDE --head SIDE [scenario or file …] [flags]",
		Short:             "Say whether a changed script still decides as it did",
		Long:              aboutCompare,
		Example:           examplesCompare,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: commandline.CompleteScenarios,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.compareSides(cmd.Context(), &f, args)
		},
	}
	c.DisableFlagsInUseLine = true
	f.register(c)
	commandline.Help(c, f.Groups, closingCompare)
	return c
}

func (f *compareFlags) register(c *cobra.Command) {
	f.Groups = commandline.NewGroups(c)
	f.Add("The two sides", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.base, "base", "", "the old `SIDE`: a script, or an algorithm")
		fs.StringVar(&f.head, "head", "", "the new `SIDE`")
		fs.StringVar(&f.as, "as", "", "call scripts without a binding as the built-in algorithm of this `LABEL` is "+
			"called")
	})
	f.Add("What is compared", func(fs *pflag.FlagSet) {
		fs.BoolVar(&f.verdicts, "verdicts", false,
			"whether a request is admitted, and no more: what remains and when to come back may differ")
		fs.BoolVar(&f.work, "work", false,
			"the same decisions with more Redis commands, or with more keys left without a TTL, are exit code 1, too")
		fs.StringSliceVar(&f.limits, "limit", nil,
			"generate requests at these `LIMITS` such as 100/1m, comma separated (default "+
				""+policyList(defaultLimits())+")")
		fs.Var(&f.seed, "seed", "a whole number `N` instead of each scenario's own seed")
		fs.StringVar(&f.redis, "redis", redisserver.KindEmbedded, "`SERVER`: "+redisserver.Kinds)
		commandline.EvictionFlag(fs, &f.eviction)
	})
	f.Add("Output", func(fs *pflag.FlagSet) {
		f.FormatFlag(fs, change.Forms.Names())
		f.QuietFlag(fs)
	})
	f.Complete(c, map[string][]string{
		"as":     algorithms.Names(),
		"format": change.Forms.Names(),
		"redis":  {"embedded", "process", "container", "redis://"},
	})
}

// defaultLimits are those at which requests are generated: those of bench cost.
func defaultLimits() []limit.Policy {
	return costresult.Limits(limit.Policy{Requests: 1000, Window: 3 * time.Second})
}

// policyList is limits as the command line takes them.
func policyList(all []limit.Policy) string {
	var texts []string
	for _, p := range all {
		texts = append(texts, p.String())
	}
	return strings.Join(texts, ",")
}

// job is what the flags and arguments ask for.
func (f *compareFlags) job(args []string) (*change.Job, error) {
	if err := f.Empty(); err != nil {
		return nil, err
	}
	if err := f.CheckFormat(change.Forms.Names()); err != nil {
		return nil, err
	}
	if f.base == "" || f.head == "" {
		return nil, commandline.Usage("compare: want both --base SIDE and --head SIDE, each a script or an algorithm")
	}
	j := &change.Job{Limits: defaultLimits(), Seed: f.seed.Value, Verdicts: f.verdicts, Work: f.work, Server: f.redis,
		AllowEviction: f.eviction, Version: commandline.Version(version),
		Clock: replay.Clock{Now: time.Now, Sleep: load.Wait}}
	var err error
	if j.Base, err = f.side("--base", f.base); err != nil {
		return nil, err
	}
	if j.Head, err = f.side("--head", f.head); err != nil {
		return nil, err
	}
	if len(args) > 0 {
		j.Limits = nil
		if j.Scenarios, err = commandline.LoadScenarios(args); err != nil {
			return nil, err
		}
	}
	if f.limits == nil {
		return j, nil
	}
	j.Limits = nil
	if j.Scenarios == nil {
		j.Scenarios = []*scenario.Scenario{}
	}
	for _, text := range f.limits {
		p, err := commandline.PolicyOf(strings.TrimSpace(text), 0, false)
		if err != nil {
			return nil, err
		}
		j.Limits = append(j.Limits, p)
	}
	return j, nil
}

// side is what a flag names.
func (f *compareFlags) side(flag, name string) (c *lineup.Candidate, err error) {
	switch {
	case lineup.IsScript(name):
		c, err = lineup.ScriptCandidate(name, f.as)
	case lineup.IsAlgorithm(name):
		c, err = lineup.AlgorithmCandidate(name)
	default:
		return nil, commandline.Usage("%s %s: neither a script (a file that ends in .lua) nor an algorithm; %s", flag,
			message.Quote(name), message.OneOf(name, algorithms.Names()))
	}
	if err != nil {
		return nil, commandline.Usage("%s: %w", flag, err)
	}
	return c, nil
}

// compareSides compares, prints what it found, and gives the verdict.
func (a *app) compareSides(ctx context.Context, f *compareFlags, args []string) error {
	job, err := f.job(args)
	if err != nil {
		return err
	}
	bar := a.NewBar(f.Quiet)
	defer bar.Finish()
	job.Progress = func(name string, number, of int) {
		bar.Start(commandline.NumberOf(name, number, of), 0)
	}
	job.Stop, job.Notice = a.Stop, a.Notices("simulate", f.Quiet)
	doc, err := job.Run(ctx)
	bar.Finish()
	if err != nil {
		return commandline.ServerFlag(err, "redis", redisserver.Kinds)
	}
	figures := func() error { return change.Forms.Write(a.Stdout, f.Format, doc, f.Terminal(a.Stdout)) }
	return commandline.Deliver(a.Stdout, figures, func() error { return nil }, verdictOnChange(doc))
}

// verdictOnChange is nil where the two decide alike.
func verdictOnChange(doc *change.Document) error {
	switch {
	case doc.Failed():
		return commandline.Exit(commandline.ExitMissed, fmt.Errorf("%s", doc.Line()))
	case doc.Partial:
		return fmt.Errorf("%w: the rest was not compared", commandline.ErrInterrupted)
	}
	return nil
}
