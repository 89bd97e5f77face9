package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/redisserver"
	"ratelab/internal/report"
	"ratelab/internal/simulate"
	"ratelab/internal/traffic"
	"ratelab/scenarios"
)

// flags are those of the root command.
type flags struct {
	algorithms []string
	scripts    []string
	redis      string
	clock      string
	longReal   bool
	format     string
	out        string
	charts     string
	decisions  string
	seed       seedFlag
	limit      string
	burst      int64
	trace      traffic.Trace
	traceForm  string
	within     string
	quiet      bool

	all    *pflag.FlagSet
	groups []flagGroup
}

// flagGroup is a heading of the help with the flags below it.
type flagGroup struct {
	title string
	flags *pflag.FlagSet
}

func (f *flags) register(c *cobra.Command) {
	f.all = c.Flags()
	f.all.SortFlags = false
	f.group("What is limited, and by what", f.limiters)
	f.group("Recorded traffic instead of a scenario", f.recorded)
	f.group("What decides, and when", f.deciders)
	f.group("Output", f.output)
	f.complete(c)
}

// group registers some flags under a heading.
func (f *flags) group(title string, register func(*pflag.FlagSet)) {
	set := pflag.NewFlagSet(title, pflag.ContinueOnError)
	set.SortFlags = false
	register(set)
	f.groups = append(f.groups, flagGroup{title, set})
	f.all.AddFlagSet(set)
}

func (f *flags) limiters(fs *pflag.FlagSet) {
	fs.StringSliceVarP(&f.algorithms, "algorithms", "a", nil, "`NAMES`, comma separated, each with :parameter=value where its default is not meant (default all; see simulate list)")
	fs.StringArrayVar(&f.scripts, "script", nil, "a Lua script of your own, `FILE.lua`, with its binding FILE.yaml beside it; may be repeated")
	fs.StringVar(&f.limit, "limit", "", "`REQUESTS/WINDOW` such as 100/1m, instead of each scenario's own; needed with --trace")
	fs.Int64Var(&f.burst, "burst", 0, "with --limit: how `MANY` may come at once (default REQUESTS)")
	fs.Var(&f.seed, "seed", "a whole number `N` instead of each scenario's own seed")
}

func (f *flags) recorded(fs *pflag.FlagSet) {
	fs.StringVar(&f.trace.File, "trace", "", "a log as the only scenario: `FILE`, plain or gzip")
	fs.StringVar(&f.traceForm, "trace-format", "", "`FORMAT`: combined (Apache, nginx), csv or jsonl (default: told by the first line)")
	fs.StringVar(&f.trace.Key, "trace-key", "", "`COLUMN` or field that the limit is for (combined log: "+strings.Join(traffic.CombinedKeys, ", ")+")")
	fs.StringVar(&f.trace.Time, "trace-time", "", "`COLUMN` or field with the time; needed for csv and jsonl")
	fs.StringVar(&f.trace.Cost, "trace-cost", "", "`COLUMN` or field with the cost, or a sum such as a+b (default 1 each)")
	fs.Float64Var(&f.trace.Speed, "trace-speed", 1, "play `TIMES` as fast")
	fs.Int64Var(&f.trace.Skip, "trace-skip", 0, "leave out the first `N` requests")
	fs.Int64Var(&f.trace.Limit, "trace-limit", 0, "take `N` requests at most (default all)")
	fs.StringVar(&f.within, "within-second", "", "`RULE` for requests whose time is a whole second: even, uniform or at_once (default even)")
}

func (f *flags) deciders(fs *pflag.FlagSet) {
	fs.StringVar(&f.redis, "redis", redisserver.KindEmbedded, "`SERVER`: "+redisserver.Kinds+", or model (the Go models, no server)")
	fs.StringVar(&f.clock, "clock", simulate.VirtualClock, "`CLOCK`: virtual, or real to pace the same requests on the wall clock of a real server")
	fs.BoolVar(&f.longReal, "long-real", false, "let --clock real take more than "+limit.FormatDuration(simulate.MaxReal))
}

func (f *flags) output(fs *pflag.FlagSet) {
	fs.StringVarP(&f.format, "format", "f", "table", "`FORMAT` of standard output: "+strings.Join(report.Formats(), ", "))
	fs.StringVarP(&f.out, "out", "o", "results/latest", "`FOLDER` for charts, their data and result.json")
	fs.StringVar(&f.charts, "charts", "svg,png", "`FORMATS` of the charts: svg, png, svg,png or none")
	fs.StringVar(&f.decisions, "decisions", "", "write one CSV row for each decision to `FILE`")
	fs.BoolVarP(&f.quiet, "quiet", "q", false, "no progress, no notes on standard error")
}

func (f *flags) complete(c *cobra.Command) {
	for name, words := range map[string][]string{
		"algorithms":    algorithms.Names(),
		"format":        report.Formats(),
		"charts":        {"svg", "png", "svg,png", "none"},
		"clock":         {simulate.VirtualClock, simulate.RealClock},
		"redis":         {"embedded", "process", "container", "model", "redis://"},
		"trace-format":  texts(traffic.Formats),
		"within-second": texts(traffic.WithinSeconds),
	} {
		if err := c.RegisterFlagCompletionFunc(name, fixed(words)); err != nil {
			panic(err) // a flag that is not registered above
		}
	}
}

func texts[T ~string](values []T) []string {
	var all []string
	for _, v := range values {
		all = append(all, string(v))
	}
	return all
}

func fixed(words []string) cobra.CompletionFunc {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

func completeScenarios(_ *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	return scenarios.Names(), cobra.ShellCompDirectiveDefault
}

var seedWanted = fmt.Sprintf("a whole number from 0 to %d", limit.MaxExact)

// seedFlag is a seed that may not have been given.
type seedFlag struct{ value *uint64 }

func (s *seedFlag) String() string {
	if s.value == nil {
		return ""
	}
	return fmt.Sprint(*s.value)
}

func (s *seedFlag) Type() string { return "N" }

func (s *seedFlag) Set(text string) error {
	var n uint64
	if _, err := fmt.Sscanf(text, "%d", &n); err != nil || fmt.Sprint(n) != text || n > uint64(limit.MaxExact) {
		return errors.New(seedWanted)
	}
	s.value = &n
	return nil
}
