package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ratelab/internal/accesslog"
	"ratelab/internal/cli"
	"ratelab/internal/limit"
	"ratelab/internal/measure"
	"ratelab/internal/message"
	"ratelab/internal/recommend"
	"ratelab/internal/redis"
	"ratelab/internal/replay"
	"ratelab/internal/scenario"
	"ratelab/internal/script"
)

const aboutRecommend = `Recommend a limiter. Only limiters that guarantee the limit on any traffic are considered. They are
ranked by what they reject that an exact limiter admits, by bytes per key and by work per decision.

A limit can mean two things: never more than L in any window, or L per window on average and a
burst at once. Unless --contract, --burst or the file says which, each gets a recommendation. The
default traffic is twelve standard scenarios. Scenarios about clocks, sequences and faults are
refused.

Exit codes: 0 ok, 2 usage or invalid input, 3 the harness could not run, 130 interrupted.`

const examplesRecommend = `  simulate recommend --limit 100/1m --burst 20             100 a minute on average, 20 at once
  simulate recommend extreme-case-1 --contract window      for a scenario
  simulate recommend --limit 100/1m --trace access.log.gz  for your own traffic`

// recommendFlags are the flags of recommend.
type recommendFlags struct {
	cli.Limiters
	cli.Traffic
	cli.Output
}

// recommend returns the command that recommends a limiter.
func (a *app) recommend() *cobra.Command {
	var f recommendFlags
	c := &cobra.Command{
		Use: "recommend [scenario or file …]", Short: "Recommend a limiter",
		Long: aboutRecommend, Example: examplesRecommend,
		ValidArgsFunction: cli.CompleteScenarios,
		RunE:              func(c *cobra.Command, args []string) error { return a.recommended(c.Context(), &f, args) },
	}
	f.ScriptFlag(c)
	f.LimitFlags(c)
	f.Traffic.Register(c, a.Streams, false)
	f.FormatFlag(c, recommend.Forms.Names())
	f.QuietFlag(c)
	return c
}

// recommended prints the recommendation. If it fails, it prints nothing.
func (a *app) recommended(ctx context.Context, f *recommendFlags, args []string) error {
	q, err := f.question(ctx, args)
	if err != nil {
		return err
	}
	bar := a.NewBar(f.Quiet)
	defer bar.Finish()
	q.Progress = func(n int64) { bar.Show("recommend, "+message.Grouped(n)+" requests", 0, 0) }
	if err := f.readOtherwise(ctx, q); err != nil {
		return err
	}
	doc, err := q.Answer(ctx)
	switch {
	case errors.Is(err, recommend.ErrNobody), errors.Is(err, recommend.ErrLimits):
		return cli.Usage("recommend: %w", err)
	case err != nil:
		return err
	}
	doc.Tool.Version = cli.Version(version)
	if names := append(args, f.Files...); len(names) > 0 {
		doc.Traffic.Names = names // for a file its path, so that the next command finds it
	}
	if f.Scripts != nil {
		limits := []limit.Policy{doc.Answers[0].Limit.Policy()}
		doc.Examinations, err = examined(ctx, script.Files(f.Scripts), limits, nil, false, nil,
			serverOf(redis.KindAuto, true))
		if err != nil {
			return examineFault(strings.Join(f.Scripts, ", "), err)
		}
	}
	if own := script.OwnLimit(script.Files(f.Scripts)); len(args) > 0 && own != nil && *own == *q.Limit &&
		*own != q.Scenarios[0].Limit {
		doc.Notes = append(doc.Notes, fmt.Sprintf("%v is written into the script; the scenario's limit is %v, for "+
			"which there is --limit.", own, q.Scenarios[0].Limit))
	}
	bar.Finish()
	return recommend.Forms.Write(a.Stdout, f.Format.Value, doc, a.Terminal(f.Quiet))
}

// question returns the question that the flags and arguments describe.
func (f *recommendFlags) question(ctx context.Context, args []string) (*recommend.Question, error) {
	instead, err := f.Instead()
	if err != nil {
		return nil, err
	}
	list, err := f.Scenarios(ctx, args, instead.Limit, func() ([]*scenario.Scenario, error) {
		if instead.Limit == nil {
			return nil, cli.Usage("recommend: no limit; give --limit 100/1m, or name a scenario (simulate " +
				"list shows them) or a file")
		}
		return nil, nil
	})
	if err != nil {
		return nil, err
	}
	for i, s := range list {
		if what := noChoice(s); what != "" {
			return nil, cli.Usage("%s: %s; see simulate %[1]s for how algorithms fare, or name other scenarios",
				message.Path(args[i]), what)
		}
	}
	return &recommend.Question{Scenarios: list, Instead: instead, Log: f.Files != nil}, nil
}

// noChoice returns why a scenario cannot be used for a recommendation, or "" if it can.
func noChoice(s *scenario.Scenario) string {
	switch {
	case s.Limit.Contract == limit.ByFlight:
		return "a limit on requests in flight; recommend is about windows and buckets"
	case s.HasActual():
		return "costs that are known at the end; recommend plays known costs"
	case s.Limits != nil:
		return "several limits, and recommend takes one; run it once for each"
	case s.Sequences != nil:
		return "sequences are commands without a script"
	case s.ClocksOff():
		return "wrong clocks are a fault, not traffic"
	case s.Faulty():
		return "managed and server_outage are faults, not traffic"
	}
	return ""
}

// readOtherwise counts a log's keys. It adds the figures under the other rule for whole seconds, unless the user chose
// a rule.
func (f *recommendFlags) readOtherwise(ctx context.Context, q *recommend.Question) error {
	if f.Files == nil {
		return nil
	}
	keys := measure.NewKeySet()
	stream := q.Scenarios[0].Stream(q.Scenarios[0].Seed)
	for r, err := range stoppable(ctx, stream.Requests()) {
		if err != nil {
			return &replay.InputError{Err: err}
		}
		keys.Add(r.Key)
	}
	if q.Keys = keys.Count(); stream.Spread() > 0 && !f.ChoseRule() {
		q.Otherwise = q.Scenarios[0].UnderRule(accesslog.AtStart)
	}
	return nil
}
