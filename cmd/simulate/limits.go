package main

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ratelab/internal/commandline"
	"ratelab/internal/limit"
	"ratelab/internal/result"
	"ratelab/internal/scenario"
	"ratelab/internal/simulate"
	"ratelab/internal/usage"
	"ratelab/internal/waiting"
)

const aboutLimits = `Say what the clients of a log use, and whom a limit would touch.

For windows of 1 s, 10 s, 1 min and 1 h: how much the clients ask for in their busiest window,
which is the most in any interval of that length. Then, for a few limits or for those that you
name, what an exact limiter would refuse, of how many clients, and of whom most. No algorithm
decides here: how each of them keeps such a limit, simulate --limit 100/1m --trace FILE says.`

const examplesLimits = `  simulate limits --trace access.log.gz                         what clients use, and limits that fit
  simulate limits --trace access.log.gz --limit 20/1m,100/1m    whom these two would touch
  zcat access.log.*.gz | simulate limits --trace -              a log from a pipe
  simulate limits --trace access.log.1 --trace access.log       a log in several files, in any order
  simulate limits --trace calls.csv --trace-key user --trace-time at --trace-cost tokens`

const closingLimits = `Exit codes: 0 ok · 2 usage or a log that cannot be read · 3 the harness could not run · 130 interrupted.
`

// limitsFlags are those of limits.
type limitsFlags struct {
	commandline.Traffic
	commandline.Output
	limits []string
}

// limits looks at a log.
func (a *app) limits() *cobra.Command {
	var f limitsFlags
	f.Streams = a.Streams
	c := &cobra.Command{
		Use:     "limits --trace FILE [flags]",
		Short:   "Say what the clients of a log use, and whom a limit would touch",
		Long:    aboutLimits,
		Example: examplesLimits,
		Args:    commandline.NoArguments,
	}
	groups := commandline.NewGroups(c)
	groups.Add("The log", f.Traffic.Register)
	groups.Add("What is said of it", func(fs *pflag.FlagSet) {
		fs.StringSliceVar(&f.limits, "limit", nil, "`REQUESTS/WINDOW` such as 100/1m, or several, comma separated")
		f.FormatFlag(fs, usage.Forms.Names())
		f.QuietFlag(fs)
	})
	groups.Complete(c, f.Completions())
	groups.Complete(c, map[string][]string{"format": usage.Forms.Names()})
	c.RunE = func(*cobra.Command, []string) error { return a.look(&f, groups) }
	commandline.Help(c, groups, closingLimits)
	return c
}

// look reads the log and prints what is in it.
func (a *app) look(f *limitsFlags, given *commandline.Groups) error {
	if err := given.Empty(); err != nil {
		return err
	}
	if err := f.CheckFormat(usage.Forms.Names()); err != nil {
		return err
	}
	if !f.HasTrace() {
		return commandline.Usage("limits: --trace FILE is missing: the log to look at")
	}
	var policies []limit.Policy
	for _, text := range f.limits {
		p, err := commandline.PolicyOf(strings.TrimSpace(text), 0, false)
		if err != nil {
			return err
		}
		policies = append(policies, p)
	}
	anyLimit := limit.Policy{Requests: 1, Window: time.Second}
	list, err := f.Scenarios(nil, &anyLimit, given, nil)
	if err != nil {
		return err
	}
	stream := list[0].Stream(list[0].Seed)
	log, err := usage.Read(stoppable(stream.Requests(), a.Stop))
	if err != nil {
		return commandline.Exit(commandline.ExitUsage, err)
	}
	doc := log.Look(policies)
	doc.Tool = result.Tool{Name: "simulate", Version: commandline.Version(version)}
	doc.Notes = append(doc.Notes, stream.Notes()...)
	if stream.Spread() > 0 && !choseRule(given) {
		if err := a.otherwise(doc, list[0]); err != nil {
			return commandline.Exit(commandline.ExitUsage, err)
		}
	}
	figures := func() error { return usage.Forms.Write(a.Stdout, f.Format, doc, f.Terminal(a.Stdout)) }
	return commandline.Deliver(a.Stdout, figures, func() error { return nil }, nil)
}

// otherwise notes what the rules for whole seconds that nobody chose would say.
func (a *app) otherwise(doc *usage.Document, log *scenario.Scenario) error {
	var differ []string
	rules, all := underOtherRules(log)
	for i, rule := range rules {
		read, err := usage.Read(stoppable(all[i].Stream(all[i].Seed).Requests(), a.Stop))
		if err != nil {
			return err
		}
		if text := doc.Otherwise(rule, read.Look(doc.Policies())); text != "" {
			differ = append(differ, text)
		}
	}
	if differ != nil {
		doc.Notes = append(doc.Notes, simulate.WholeSeconds+strings.Join(differ, "; "))
	}
	return nil
}

// asksForLimits reports whether there is a log, and nothing that could be done to it: then the question is which limit.
func (f *flags) asksForLimits(args []string) bool {
	return f.HasTrace() && len(args) == 0 &&
		f.FirstGiven(func(name string) bool {
			return slices.Contains([]string{"limit", "algorithms", "script", "decisions", "bench", "shard"}, name)
		}) == ""
}

// stoppable is a stream that ends with commandline.ErrInterrupted once stop is closed.
func stoppable(stream iter.Seq2[limit.Request, error], stop <-chan struct{}) iter.Seq2[limit.Request, error] {
	return func(yield func(limit.Request, error) bool) {
		n := 0
		for q, err := range stream {
			if n++; n%1024 == 0 && waiting.Closed(stop) {
				yield(limit.Request{}, fmt.Errorf("%w: the log was not read to its end", commandline.ErrInterrupted))
				return
			}
			if !yield(q, err) {
				return
			}
		}
	}
}
