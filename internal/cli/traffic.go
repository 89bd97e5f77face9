package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ratelab/internal/accesslog"
	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/scenario"
)

// Traffic holds the flags about recorded traffic, which replaces scenarios.
type Traffic struct {
	Files []string // of the log, as given

	streams Streams
	trace   accesslog.Trace
	flags   *pflag.FlagSet
	settles bool // there is --trace-actual
}

// Register adds the flags to c. With brief, the help shows only --trace.
func (t *Traffic) Register(c *cobra.Command, s Streams, brief bool) {
	t.streams, t.flags = s, c.Flags()
	also := ""
	if brief {
		also = "; see simulate limits -h"
	}
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	fs.SortFlags = false
	fs.StringArrayVar(&t.Files, "trace", nil, "play the log `FILE`, also gzip; - is a pipe"+also)
	fs.StringVar((*string)(&t.trace.Format), "trace-format", "",
		"log `FORMAT` such as alb, or '$names' in a template (default detected)")
	fs.StringVar(&t.trace.Key, "trace-key", "", "`FIELD` with the client; a+b joins two, none is one limit for all")
	fs.StringVar(&t.trace.SkipKey, "trace-skip-key", "", "leave out the requests with the `KEY`, such as -")
	fs.StringVar(&t.trace.Time, "trace-time", "",
		"`FIELD` with the time, or a+b; with its unit at:ms, or layout at:%H…")
	fs.Int64Var(&t.trace.Year, "trace-year", 0, "`YEAR` of times without one (default of the file's last change)")
	fs.StringArrayVar(&t.trace.Where, "trace-where", nil, "read only lines with `FIELD=X`; several must all hold")
	fs.StringVar(&t.trace.Cost, "trace-cost", "", "`FIELD` with the cost; a+b adds two (default 1 each)")
	fs.Float64Var(&t.trace.Speed, "trace-speed", 1, "play the log `N` times as fast")
	fs.Int64Var(&t.trace.Skip, "trace-skip", 0, "skip the first `N` requests")
	fs.Int64Var(&t.trace.Limit, "trace-limit", 0, "read at most `N` requests (default all)")
	fs.Int64Var(&t.trace.Bad, "trace-bad", 0, "skip up to `N` lines that are no requests or too late, and report them")
	fs.StringVar((*string)(&t.trace.WithinSecond), "within-second", "",
		"`RULE` for times in whole seconds: even or at_once (default even)")
	fs.VisitAll(func(f *pflag.Flag) { f.Hidden = brief && f.Name != "trace" })
	c.Flags().AddFlagSet(fs)
	Complete(c, "trace-format", accesslog.Formats())
	Complete(c, "within-second", accesslog.WithinSeconds)
}

// RegisterSpans adds the flags that say how long a logged request takes. With brief, the help does not show them, and
// there is a flag for the cost that is known at the end.
func (t *Traffic) RegisterSpans(c *cobra.Command, brief bool) {
	names := []string{"trace-takes", "trace-end", "trace-time-is"}
	if t.settles = brief; brief {
		names = append(names, "trace-actual")
		c.Flags().StringVar(&t.trace.Actual, "trace-actual", "",
			"`FIELD` with the cost that is known at the end; a+b adds two")
	}
	defer func() {
		for _, name := range names {
			c.Flags().Lookup(name).Hidden = brief
		}
	}()
	c.Flags().StringVar(&t.trace.Takes, "trace-takes", "",
		"`FIELD` with how long a request took; a+b adds two; with its unit d:ms")
	c.Flags().StringVar(&t.trace.End, "trace-end", "", "`FIELD` with the time of a request's end, as in --trace-time")
	c.Flags().StringVar((*string)(&t.trace.TimeIs), "trace-time-is", "",
		"--trace-time is a request's `TIME`: start or end (nginx: end)")
}

// HasSpans reports whether a flag of RegisterSpans was given, or the format has spans and inFlight needs them.
func (t *Traffic) HasSpans(inFlight bool) bool {
	return t.trace.Format == accesslog.LiteLLM && inFlight || t.trace.Takes != "" || t.trace.End != "" ||
		t.trace.TimeIs != ""
}

// ChoseRule reports whether the user chose a rule for times in whole seconds.
func (t *Traffic) ChoseRule() bool { return t.flags.Changed("within-second") }

// Scenarios returns the scenarios named in args, or the trace as the only one, or the result of otherwise. p is the
// limit of --limit.
func (t *Traffic) Scenarios(ctx context.Context, args []string, p *limit.Policy,
	otherwise func() ([]*scenario.Scenario, error)) ([]*scenario.Scenario, error) {
	if t.Files != nil {
		s, err := t.only(ctx, args, p)
		return []*scenario.Scenario{s}, err
	}
	var err error
	t.flags.Visit(func(f *pflag.Flag) {
		if strings.HasPrefix(f.Name, "trace-") || f.Name == "within-second" {
			err = cmp.Or(err, Usage("--%s: needs --trace FILE; the traces of a scenario are described in its "+
				"file", f.Name))
		}
	})
	switch {
	case err != nil:
		return nil, err
	case len(args) == 0:
		return otherwise()
	}
	return LoadScenarios(args)
}

// LoadScenarios loads built-in scenarios and files. The error lists all mistakes.
func LoadScenarios(args []string) (all []*scenario.Scenario, err error) {
	var problems []error
	named := map[string]string{}
	for _, arg := range args {
		s, err := scenario.Load(arg)
		switch {
		case err != nil:
			problems = append(problems, err)
		case named[s.Name] == arg:
			problems = append(problems, fmt.Errorf("%s: named twice", message.Quote(arg)))
		case named[s.Name] != "":
			problems = append(problems, fmt.Errorf("%s and %s would be two scenarios named %s; rename one",
				named[s.Name], arg, s.Name))
		default:
			named[s.Name] = arg
			all = append(all, s)
		}
	}
	if problems != nil {
		return nil, Exit(ExitUsage, errors.Join(problems...))
	}
	return all, nil
}

// CompleteScenarios lets a shell complete the names of built-in scenarios, and files.
func CompleteScenarios(_ *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	return scenario.Names(), cobra.ShellCompDirectiveDefault
}

// only returns the trace as the only scenario.
func (t *Traffic) only(ctx context.Context, args []string, p *limit.Policy) (*scenario.Scenario, error) {
	if len(args) > 0 {
		return nil, Usage("%s: --trace does not go with a scenario; leave out one of them", message.Quote(args[0]))
	}
	if p == nil {
		return nil, Usage("--trace needs a --limit, such as --limit 100/1m; to find one, run simulate limits "+
			"--trace %s", message.Path(t.Files[0]))
	}
	trace, piped := t.trace, false
	trace.Expand(t.settles)
	for i, file := range t.Files {
		if file != accesslog.StandardInput && file != "/dev/stdin" {
			continue
		}
		t.Files[i] = accesslog.StandardInput
		if piped {
			return nil, Usage("--trace: standard input is named twice; want each part of a log once")
		}
		piped = true
	}
	trace.File, trace.More = t.Files[0], t.Files[1:]
	wrong := trace.Validate()
	if trace.Speed == 0 { // in a file, 0 means that speed is not set
		wrong = append(wrong, &accesslog.FieldError{Field: "speed", Problem: "0 is out of range; want more"})
	}
	var problems []error
	for _, p := range wrong {
		problems = append(problems, fmt.Errorf("--%s: %s", flagOf(p.Field), p.Problem))
	}
	if problems != nil {
		return nil, Exit(ExitUsage, errors.Join(problems...))
	}
	if piped {
		var err error
		if trace.Stdin, err = t.streams.Stdin.keep(ctx, trace); err != nil {
			return nil, err
		}
	}
	return scenario.FromTrace(trace, *p), nil
}

// flagOf returns the flag for a field of a trace.
func flagOf(field string) string {
	switch field {
	case "file":
		return "trace"
	case "within_second":
		return "within-second"
	}
	return "trace-" + strings.ReplaceAll(field, "_", "-")
}
