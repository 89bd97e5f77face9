package main

import (
	"cmp"
	"fmt"
	"iter"
	"time"

	"github.com/spf13/cobra"

	"ratelab/internal/cli"
	"ratelab/internal/limit"
	"ratelab/internal/limits"
	"ratelab/internal/message"
	"ratelab/internal/scenario"
	"ratelab/internal/traffic"
)

const aboutLimits = `Show what the clients of a log use, and the least limits that reject few of them.

For windows of 1 s, 1 min and 1 h, limits shows how much clients request in their busiest window,
and the least limit that rejects none, 0.1 %, 1 % and 5 % of the clients or of the requests. For
six rates it shows the least burst. All figures are exact. With --limit it shows which clients
would be rejected, how often, and when first and last.

Exit codes: 0 ok, 2 usage or a log that cannot be read, 3 output failed, 130 interrupted.`

const examplesLimits = `  simulate limits --trace access.log.gz --limit 20/1m,100/1m    whom these two limits reject
  zcat access.log.*.gz | simulate limits --trace -              a log from a pipe
  simulate limits --trace calls.csv --trace-key user --trace-time at --trace-cost tokens`

// limitsFlags are those of limits.
type limitsFlags struct {
	cli.Traffic
	cli.Output
	limits []string
}

// limits is the command that shows what a log's clients use.
func (a *app) limits() *cobra.Command {
	var f limitsFlags
	c := &cobra.Command{
		Use: "limits --trace FILE", Short: "Show what the clients of a log use, and whom a limit would reject",
		Long: aboutLimits, Example: examplesLimits,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.look(&f) },
	}
	f.Traffic.Register(c, a.Streams, false)
	c.MarkFlagRequired("trace")
	c.Flags().StringArrayVar(&f.limits, "limit", nil, "limits `REQUESTS/WINDOW` such as 100/1m, comma-separated")
	f.FormatFlag(c, limits.Forms.Names())
	f.QuietFlag(c)
	return c
}

// look reads the log and prints what is in it.
func (a *app) look(f *limitsFlags) error {
	policies, err := cli.Policies(f.limits)
	if err != nil {
		return err
	}
	anyLimit := limit.Policy{Requests: 1, Window: time.Second}
	list, err := f.Scenarios(nil, &anyLimit, nil)
	if err != nil {
		return err
	}
	log, stream, err := a.reading(list[0])
	logs := []*limits.Log{log}
	if err == nil && stream.Spread() > 0 {
		log.Within = string(cmp.Or(list[0].Phases[0].Trace.WithinSecond, traffic.Even))
		if !f.ChoseRule() { // the other reading is all at once
			log, _, err = a.reading(list[0].UnderRule(traffic.AtStart))
			if logs = append(logs, log); err == nil {
				log.Within = string(traffic.AtStart)
			}
		}
	}
	if err != nil {
		return cli.Exit(cli.ExitUsage, err)
	}
	doc := limits.Look(logs, policies)
	doc.Tool.Version = cli.Version(version)
	doc.Notes = append(doc.Notes, stream.Notes()...)
	// times before 1990 are seconds from a start of the log's own
	speed := cmp.Or(list[0].Phases[0].Trace.Speed, 1)
	if began := stream.BeganUS(); time.UnixMicro(began).Year() >= 1990 && speed == 1 {
		doc.Traffic.StartUS = began
	}
	for _, n := range doc.Notes {
		if !f.Quiet {
			fmt.Fprintln(a.Stderr, "note: "+message.Visible(n))
		}
	}
	return limits.Forms.Write(a.Stdout, f.Format.Value, doc, a.Terminal(f.Quiet))
}

// reading reads a log under its rule for whole seconds.
func (a *app) reading(s *scenario.Scenario) (*limits.Log, *traffic.Stream, error) {
	stream := s.Stream(s.Seed)
	log, err := limits.Read(stoppable(stream.Requests(), a.Stop))
	return log, stream, err
}

// stoppable is a stream that ends with cli.ErrInterrupted once stop is closed.
func stoppable(stream iter.Seq2[limit.Request, error], stop <-chan struct{}) iter.Seq2[limit.Request, error] {
	return func(yield func(limit.Request, error) bool) {
		n := 0
		for q, err := range stream {
			if n++; n%1024 == 0 && message.Closed(stop) {
				yield(limit.Request{}, fmt.Errorf("%w: the log was not read to its end", cli.ErrInterrupted))
				return
			}
			if !yield(q, err) {
				return
			}
		}
	}
}
