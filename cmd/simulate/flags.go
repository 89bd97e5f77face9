package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

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
}

func (f *flags) register(c *cobra.Command) {
	fs := c.Flags()
	fs.SortFlags = false
	fs.StringSliceVarP(&f.algorithms, "algorithms", "a", nil, "names, each with :parameter=value where the default is not meant (default all; see simulate list)")
	fs.StringArrayVar(&f.scripts, "script", nil, "a Lua `FILE` of your own, with its binding beside it as FILE.yaml; may be repeated")
	fs.StringVar(&f.redis, "redis", redisserver.KindEmbedded, "what decides: "+redisserver.Kinds+", or model (the Go models, no server)")
	fs.StringVar(&f.clock, "clock", simulate.VirtualClock, "virtual, or real to pace the same requests on the wall clock of a real server")
	fs.BoolVar(&f.longReal, "long-real", false, "let --clock real take more than "+limit.FormatDuration(simulate.MaxReal))
	fs.StringVarP(&f.format, "format", "f", "table", "of standard output: "+strings.Join(report.Formats(), ", "))
	fs.StringVarP(&f.out, "out", "o", "results/latest", "`DIR` for charts, their data and result.json")
	fs.StringVar(&f.charts, "charts", "svg,png", "formats of the charts: svg, png, svg,png or none")
	fs.StringVar(&f.decisions, "decisions", "", "write one CSV row for each decision to `FILE`")
	fs.Var(&f.seed, "seed", "replaces each scenario's own seed")
	fs.StringVar(&f.limit, "limit", "", "`REQUESTS/WINDOW` such as 100/1m, instead of each scenario's own; needed with --trace")
	fs.Int64Var(&f.burst, "burst", 0, "with --limit: how many may come at once (default REQUESTS)")
	fs.StringVar(&f.trace.File, "trace", "", "a recorded log as the only scenario: `FILE`, plain or gzip")
	fs.StringVar(&f.traceForm, "trace-format", "", "combined, csv or jsonl (default: told by the first line)")
	fs.StringVar(&f.trace.Key, "trace-key", "", "column or field that the limit is for (combined log: client, user, method, path, status, agent)")
	fs.StringVar(&f.trace.Time, "trace-time", "", "column or field with the time")
	fs.StringVar(&f.trace.Cost, "trace-cost", "", "column or field with the cost, or a sum such as a+b (default 1 each)")
	fs.Float64Var(&f.trace.Speed, "trace-speed", 1, "10 plays ten times as fast")
	fs.Int64Var(&f.trace.Skip, "trace-skip", 0, "requests to leave out first")
	fs.Int64Var(&f.trace.Limit, "trace-limit", 0, "most requests to take (0: all)")
	fs.StringVar(&f.within, "within-second", "", "where requests go whose time is a whole second: even, uniform or at_once (default even)")
	fs.BoolVarP(&f.quiet, "quiet", "q", false, "no progress, no notes on standard error")
	_ = c.RegisterFlagCompletionFunc("algorithms", fixed(algorithms.Names()))
	_ = c.RegisterFlagCompletionFunc("format", fixed(report.Formats()))
	_ = c.RegisterFlagCompletionFunc("clock", fixed([]string{simulate.VirtualClock, simulate.RealClock}))
	_ = c.RegisterFlagCompletionFunc("redis", fixed([]string{"embedded", "process", "container", "model", "redis://"}))
}

func fixed(words []string) cobra.CompletionFunc {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

func completeScenarios(_ *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	return scenarios.Names(), cobra.ShellCompDirectiveDefault
}

// choices resolves --algorithms: nil where all are meant.
func (f *flags) choices() ([]algorithms.Choice, error) {
	if f.algorithms == nil {
		return nil, nil
	}
	var all []algorithms.Choice
	for _, label := range f.algorithms {
		c, err := algorithms.Parse(strings.TrimSpace(label))
		if err != nil {
			return nil, usage("--algorithms %q: %v", label, err)
		}
		if slices.ContainsFunc(all, func(o algorithms.Choice) bool { return o.Label == c.Label }) {
			return nil, usage("--algorithms %q: named twice", label)
		}
		all = append(all, c)
	}
	return all, nil
}

// policy is --limit with --burst, or nil.
func (f *flags) policy() (*limit.Policy, error) {
	if f.limit == "" {
		if f.burst != 0 {
			return nil, usage("--burst %d: goes with --limit; a scenario's file states its own burst", f.burst)
		}
		return nil, nil
	}
	p, err := limit.ParsePolicy(f.limit)
	if err != nil {
		return nil, usage("--limit: %v", err)
	}
	p.Burst = f.burst
	if err := p.Validate(); err != nil {
		return nil, usage("--burst: %v", err)
	}
	return &p, nil
}

// chartFormats is --charts as a list; empty for none.
func (f *flags) chartFormats() ([]string, error) {
	if f.charts == "none" {
		return nil, nil
	}
	list := strings.Split(f.charts, ",")
	for _, name := range list {
		if name != "svg" && name != "png" {
			return nil, usage("--charts %q: want svg, png, svg,png or none", f.charts)
		}
	}
	return list, nil
}

// check looks at the flags that are one of a few words.
func (f *flags) check() error {
	if !slices.Contains(report.Formats(), f.format) {
		return usage("--format %q: want one of %s", f.format, strings.Join(report.Formats(), ", "))
	}
	if f.clock != simulate.VirtualClock && f.clock != simulate.RealClock {
		return usage("--clock %q: want virtual or real", f.clock)
	}
	if f.longReal && f.clock != simulate.RealClock {
		return usage("--long-real: goes with --clock real")
	}
	return nil
}

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
		return fmt.Errorf("want a whole number from 0 to %d", limit.MaxExact)
	}
	s.value = &n
	return nil
}
