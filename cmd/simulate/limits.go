package main

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ratelab/internal/accesslog"
	"ratelab/internal/cli"
	"ratelab/internal/limit"
	"ratelab/internal/limits"
	"ratelab/internal/message"
	"ratelab/internal/result"
	"ratelab/internal/scenario"
	"ratelab/internal/traffic"
)

const aboutLimits = `Show what the clients of a log use, and the least limits that reject few of them.

For windows of 1 s, 1 min and 1 h, limits shows how much clients request in their busiest window,
and the least limit that rejects none, 0.1 %, 1 % and 5 % of the clients or of the requests. For
six rates it shows the least burst. All figures are exact. With --limit it shows which clients
would be rejected, how often, and when first and last. With two limits, the old one and the new
one, it shows what is newly rejected and what no longer; --max-newly-rejected makes that a gate.
Several limits on each request, joined by +, are shown with what each refuses. With --in-flight it
shows which concurrency limit fits the log. Limits are windows without --burst or --contract bucket.

Exit codes: 0 ok, 1 more is newly rejected than may be, 2 usage or a log that cannot be read, 3
output failed, 130 interrupted.`

const examplesLimits = `  simulate limits --trace access.log.gz --limit 20/1m           whom this limit rejects
  simulate limits --trace access.log.gz --limit 100/1m --limit 50/1m --max-newly-rejected 0
  simulate limits --trace access.log.gz --limit 10/1s+100/1m    several limits on each request
  simulate limits --trace calls.csv --trace-takes seconds --in-flight    which concurrency limit
  simulate limits --trace calls.csv --trace-key user --trace-time at --trace-cost tokens`

// limitsFlags are the flags of limits.
type limitsFlags struct {
	cli.Traffic
	cli.Output
	limits   []string
	bursts   []string
	contract cli.Value[string]
	most     cli.Value[int64]
	gate     bool // --max-newly-rejected was given
	inFlight bool
}

// limits returns the command that shows what the clients of a log use.
func (a *app) limits() *cobra.Command {
	f := limitsFlags{contract: cli.Word("", limit.Contracts()),
		most: cli.Count[int64](0, 0, math.MaxInt64)}
	c := &cobra.Command{
		Use: "limits --trace FILE", Short: "Show what the clients of a log use, and whom a limit would reject",
		Long: aboutLimits, Example: examplesLimits,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			f.gate = c.Flags().Changed("max-newly-rejected")
			return a.look(c.Context(), &f)
		},
	}
	f.Traffic.Register(c, a.Streams, false)
	f.Traffic.RegisterSpans(c, false)
	c.Flags().BoolVar(&f.inFlight, "in-flight", false,
		"show how many requests are in flight, and which limits fit")
	c.MarkFlagRequired("trace")
	c.Flags().StringArrayVar(&f.limits, "limit", nil,
		"limits `REQUESTS/WINDOW`: 100/1m,50/1m; or joined 10/1s+100/1m")
	c.Flags().StringArrayVar(&f.bursts, "burst", nil,
		"with --limit: admit up to `N` at once; one for all limits, or one each")
	c.Flags().Var(&f.contract, "contract", "`KIND` of limit: window, bucket (default window, with --burst bucket)")
	cli.Complete(c, "contract", limit.Contracts())
	c.Flags().Var(&f.most, "max-newly-rejected",
		"exit 1 if the second limit rejects more than `N` that the first admits")
	c.Flags().Lookup("max-newly-rejected").DefValue = ""
	f.FormatFlag(c, limits.Forms.Names())
	f.QuietFlag(c)
	return c
}

// checkInFlight refuses flags that do not go with --in-flight, and those that need it.
func (f *limitsFlags) checkInFlight() error {
	spans := f.Traffic.HasSpans(f.inFlight)
	switch {
	case f.inFlight && !spans:
		return cli.Usage("--in-flight: needs --trace-takes FIELD, with how long a request took, or --trace-end " +
			"FIELD, with the time of its end")
	case f.inFlight && (f.limits != nil || f.bursts != nil || f.contract.Value != "" || f.gate):
		return cli.Usage("--in-flight: shows which limits on requests in flight fit the log; leave out --limit and " +
			"its flags")
	case spans && !f.inFlight:
		return cli.Usage("--trace-takes, --trace-end and --trace-time-is: go with --in-flight")
	}
	return nil
}

// policies returns the policies to examine, each with one limit or with several.
func (f *limitsFlags) policies() (all [][]limit.Limit, err error) {
	for _, text := range cli.Split(f.limits) {
		limits, err := limit.ParseLimits(text)
		if err == nil && limit.InFlight(limits) {
			err = fmt.Errorf("limit %s: for limits on requests in flight, see --in-flight", message.Quote(text))
		}
		if err != nil {
			return nil, cli.Usage("--limit%s", strings.TrimPrefix(": "+err.Error(), ": limit"))
		}
		all = append(all, limits)
	}
	bursts := cli.Split(f.bursts)
	switch {
	case all == nil && (bursts != nil || f.contract.Value != ""):
		return nil, cli.Usage("--burst and --contract: go with --limit")
	case bursts != nil && f.contract.Value == limit.ByWindow.String():
		return nil, cli.Usage("--burst: a burst means the contract bucket; leave out --contract window, or --burst")
	case len(bursts) > 1 && len(bursts) != len(all):
		return nil, cli.Usage("--burst: %d for %d limits; want one for all, or one each", len(bursts), len(all))
	case f.gate && len(all) != 2:
		return nil, cli.Usage("--max-newly-rejected: needs two limits, the old one and the new one, such as --limit " +
			"100/1m --limit 50/1m")
	}
	burst := cli.Count[int64](0, 1, limit.MaxRequests)
	for i := range all {
		if bursts != nil {
			text := bursts[min(i, len(bursts)-1)]
			if err := burst.Set(text); err != nil {
				return nil, cli.Usage("--burst %s: want %v", message.Quote(text), err)
			}
		}
		for j := range all[i] {
			p, contract := &all[i][j].Policy, f.contract.Value
			switch {
			case len(all[i]) > 1 && bursts != nil:
				return nil, cli.Usage("--burst %d: is of one limit; with several, write 100/1m:burst=20 for each",
					burst.Value)
			case p.Burst > 0 && (bursts != nil || contract == limit.ByWindow.String()):
				return nil, cli.Usage("--limit %v: has its own burst; leave out --burst and --contract window", p)
			case bursts != nil || contract == limit.ByBucket.String():
				p.Contract, p.Burst = limit.ByBucket, cmp.Or(p.Burst, burst.Value)
			}
			if most := limits.MostBurst(*p); p.Contract == limit.ByBucket && p.Capacity() > most {
				return nil, cli.Usage("--limit %v: a burst of more than %d cannot be counted exactly", p, most)
			}
		}
	}
	return all, nil
}

// look reads the log and prints the figures.
func (a *app) look(ctx context.Context, f *limitsFlags) error {
	if all := limits.Forms.Names(); !slices.Contains(all, f.Format.Value) { // as a format of the root command
		return cli.Usage("--format %q: %s", f.Format.Value, message.OneOf(f.Format.Value, all))
	} else if f.Format.Value == "junit" && !f.gate {
		return cli.Usage("--format junit: needs a verdict; give two limits and --max-newly-rejected")
	}
	policies, err := f.policies()
	if err == nil {
		err = f.checkInFlight()
	}
	if err != nil {
		return err
	}
	anyLimit := limit.Policy{Requests: 1, Window: time.Second}
	list, err := f.Scenarios(ctx, nil, &anyLimit, nil)
	if err != nil {
		return err
	}
	defer debug.SetGCPercent(debug.SetGCPercent(25)) // the whole log stays in memory, so keep the garbage small
	var stream *traffic.Stream                       // of the first pass
	var doc *result.Document
	if f.inFlight {
		doc, err = limits.LookInFlight(readings(ctx, f, list[0], &stream, limits.ReadSpans,
			func(s *limits.Spans, within string) { s.Within = within }))
	} else {
		doc, err = limits.Look(policies, readings(ctx, f, list[0], &stream, limits.Read,
			func(l *limits.Log, within string) { l.Within = within }))
	}
	if err != nil {
		return cli.Exit(cli.ExitUsage, err)
	}
	doc.Tool.Version = cli.Version(version)
	doc.Notes = slices.Concat(doc.Notes, stream.Notes())
	if !f.inFlight {
		doc.Notes = append(doc.Notes, limits.Longer(doc.Traffic.DurationUS)...)
	}
	doc.Traffic.Format = message.List(stream.Formats())
	doc.Traffic.StartUS, _ = stream.Recorded()
	for _, n := range doc.Notes {
		if !f.Quiet {
			fmt.Fprintln(a.Stderr, "note: "+message.Visible(n))
		}
	}
	if f.gate {
		for i := range doc.Users {
			doc.Users[i].Change.Most = &f.most.Value
		}
	}
	if err := limits.Forms.Write(a.Stdout, f.Format.Value, doc, a.Terminal(f.Quiet)); err != nil {
		return err
	}
	if err := limits.Exceeded(doc); err != nil {
		return cli.Exit(cli.ExitMissed, err)
	}
	return nil
}

// readings returns a function that gives the next reading of a log, and nil after the last. There are two if the log
// has whole seconds and the user chose no rule for them. It sets the first reading's stream.
func readings[T any](ctx context.Context, f *limitsFlags, log *scenario.Scenario, first **traffic.Stream,
	read func(iter.Seq2[limit.Request, error]) (*T, error), setRule func(*T, string)) func() (*T, error) {
	next, within := log, cmp.Or(log.Trace().WithinSecond, accesslog.Even)
	return func() (*T, error) {
		if next == nil {
			return nil, nil
		}
		this := next.Stream(next.Seed)
		reading, err := read(stoppable(ctx, this.Requests()))
		next, *first = nil, cmp.Or(*first, this)
		if err == nil && (*first).Spread() > 0 {
			setRule(reading, string(within))
			if within != accesslog.AtStart && !f.ChoseRule() {
				within = accesslog.AtStart
				next = log.UnderRule(within)
			}
		}
		return reading, err
	}
}

// stoppable returns a stream that ends with message.ErrInterrupted once ctx has ended.
func stoppable(ctx context.Context, stream iter.Seq2[limit.Request, error]) iter.Seq2[limit.Request, error] {
	return func(yield func(limit.Request, error) bool) {
		n := 0
		for q, err := range stream {
			if n++; n%1024 == 0 && ctx.Err() != nil {
				yield(limit.Request{}, fmt.Errorf("%w: the log was not read to its end", message.ErrInterrupted))
				return
			}
			if !yield(q, err) {
				return
			}
		}
	}
}
