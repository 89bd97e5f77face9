package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"ratelab/internal/cli"
	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/message"
	"ratelab/internal/redis"
	"ratelab/internal/report"
	"ratelab/internal/result"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
)

const aboutCompare = `Check that a changed script makes the same decisions, exactly, without a Redis and in seconds.

Both sides decide the same requests at the same instants in virtual time: the scenarios that you
name (default: all built-in ones without clients), and 10,000 generated requests per limit that
test edge cases: under that limit, and while the limit, the burst or the clocks change. compare
checks which requests are admitted, and after which delay. It names the first request whose
decision differs. A script without a binding is called as the algorithm of its name, or as --as
says. bench compare counts commands and instructions.

Exit codes: 0 the same decisions, 1 a decision differs, 2 usage, 3 no server, 130 interrupted.`

const examplesCompare = `  simulate compare --base old/limiter.lua --head limiter.lua  before a change is merged
  simulate compare --base gcra --head faster.lua --as gcra    faster.lua is called as gcra`

// compareFlags are the flags of compare.
type compareFlags struct {
	cli.Sides
	cli.Output
	redis  string
	limits []string
	seed   cli.Value[*uint64]
}

// edgeLimits is the default of --limit.
const edgeLimits = "1000/3s,10/1s,100/1h,333/1s,1000000/24h"

// compare returns the command that compares the decisions of two limiters.
func (a *app) compare() *cobra.Command {
	f := compareFlags{seed: cli.Seed()}
	c := &cobra.Command{
		Use: "compare [scenario or file …]", Short: "Check that a changed script makes the same decisions",
		Long: aboutCompare, Example: examplesCompare,
		ValidArgsFunction: cli.CompleteScenarios,
		RunE:              func(c *cobra.Command, args []string) error { return a.compareSides(c, &f, args) },
	}
	f.Register(c)
	c.Flags().StringArrayVar(&f.limits, "limit", nil, "generate at `LIMITS` (default "+edgeLimits+")")
	c.Flags().Var(&f.seed, "seed", "seed `N`, a whole number (default the scenario's)")
	cli.ServerFlag(c, &f.redis, redis.KindAuto, scriptServers)
	f.FormatFlag(c, f.forms(nil).Names())
	f.ReportFlag(c)
	f.QuietFlag(c)
	return c
}

// forms returns the formats of a comparison.
func (f *compareFlags) forms(c *run.Comparison) *report.Formats {
	forms := report.VerdictFormats
	forms.Sheet = func(*result.Document) report.Sheet { return f.sheet(c) }
	forms.Width, forms.SARIF = 0, true
	return &forms
}

// document returns the comparison's document: the runs and the verdict. The first run with a difference names the
// request.
func (f *compareFlags) document(c *run.Comparison) *result.Document {
	doc := result.New(result.OfDecisions, cli.Version(version))
	doc.Runs, doc.Notes = c.Document.Runs, append([]string{}, c.LeftOut...)
	runs := make([]*result.Run, len(doc.Runs))
	for i := range runs {
		runs[i] = &doc.Runs[i]
	}
	v := result.Verdict{Base: f.Base, Head: f.Head, Server: runs[0].Server.String()}
	g := result.JudgeDecisions(f.Base+" -> "+f.Head, runs)
	for i := range g.Rows {
		if limiter.IsScript(f.Head) {
			g.Rows[i].Script = f.Head
		}
		if runs[i] == c.Parts {
			g.Rows[i].Statement += "; " + where(c)
		}
	}
	if c.Interrupted {
		g.Outcome, g.Reason = g.Outcome.Worse(result.Inconclusive), "interrupted; the rest was not compared"
	}
	v.Gates = []result.Gate{g}
	v.Conclude()
	doc.Verdicts = []result.Verdict{v}
	return doc
}

// compareSides compares both sides, prints the result, and returns the verdict as an error.
func (a *app) compareSides(cmd *cobra.Command, f *compareFlags, args []string) error {
	sides, err := f.Limiters()
	if err != nil {
		return err
	}
	list, err := cli.LoadScenarios(args) // nil: all built-in ones
	if err != nil {
		return err
	}
	if len(args) == 0 && f.limits == nil {
		f.limits = []string{edgeLimits}
	} else if len(args) == 0 {
		list = []*scenario.Scenario{}
	}
	limits, err := cli.Policies(f.limits)
	if err != nil {
		return err
	}
	bar := a.NewBar(f.Quiet)
	defer bar.Finish()
	job := newJob(list, f.redis, limiter.IsScript(f.Base) || limiter.IsScript(f.Head))
	job.Seed, job.Progress = f.seed.Value, progressOf(bar, nil)
	c, err := job.compare(cmd.Context(), sides, limits)
	bar.Finish()
	if err != nil {
		return cli.ServerFault(err, scriptKinds)
	}
	for _, w := range c.LeftOut {
		if !f.Quiet {
			fmt.Fprintf(a.Stderr, "simulate: warning: %s\n", message.Shown(w))
		}
	}
	forms, doc := f.forms(c), f.document(c)
	if err := forms.Write(a.Stdout, f.Format.Value, doc, a.Terminal(f.Quiet)); err != nil {
		return err
	}
	if err := forms.WriteReport(f.Report, doc); err != nil {
		return err
	}
	switch {
	case c.Parts != nil:
		return cli.Exit(cli.ExitMissed, errors.New(where(c)))
	case c.Interrupted:
		return fmt.Errorf("%w: the rest was not compared", message.ErrInterrupted)
	}
	return nil
}

// compare lets both sides decide the same requests.
func (j *job) compare(ctx context.Context, sides [2]*limiter.Spec, limits []limit.Policy) (c *run.Comparison,
	err error) {
	err = j.on(ctx, func(e run.Engine) (err error) {
		c, err = j.Compare(ctx, e, sides[0], sides[1], limits)
		return err
	})
	return c, err
}

// sheet shows the verdict, the first difference, and a line for each traffic with a difference.
func (f *compareFlags) sheet(c *run.Comparison) report.Sheet {
	t := report.Table{Columns: []report.Column{{Name: "traffic", Words: true, Narrowest: 12}, {Name: "requests"},
		{Group: "admitted", Name: "base"}, {Group: "admitted", Name: "head"}, {Group: "x limit", Name: "base"},
		{Group: "x limit", Name: "head"}}}
	var requests int64
	runs := c.Document.Runs
	for i := range runs {
		base, head := &runs[i].Results[0], &runs[i].Results[1]
		requests += base.Offered
		if len(runs[i].Alike()) > 1 {
			t.Rows = append(t.Rows, report.TableRow{Cells: report.Cells(runs[i].Scenario, report.Integer(base.Offered),
				report.Integer(base.Admitted), report.Integer(head.Admitted), report.Times(base.XLimit),
				report.Times(head.XLimit))})
		}
	}
	server := report.ServerLine(runs[0].Server)
	traffics, sides := message.Count(len(runs), "traffic"), message.Shown(f.Base)+" -> "+message.Shown(f.Head)
	if c.Parts != nil {
		verdict := fmt.Sprintf("%s: DIFFERENT in %d of %s", sides, len(t.Rows), traffics)
		lead := []report.Line{{Style: report.Alarm, Text: verdict}, server, {Text: where(c)}}
		return report.Sheet{{Lead: lead, Tables: []report.Table{t}}}
	}
	verdict := fmt.Sprintf("%s: the same decisions on %s of %s", sides, message.Count(requests, "request"), traffics)
	return report.Sheet{{Lead: []report.Line{{Style: report.Strong, Text: verdict}, server}}}
}

// where describes the first request that the sides decide differently, with its place, so that a user can repeat it.
func where(c *run.Comparison) string {
	limits := c.Parts.Limit.String()
	if c.Parts.Limits != nil {
		limits = report.LimitsWords(c.Parts.Limits)
	}
	text := fmt.Sprintf("first in %s (limit %s)", c.Parts.Scenario, limits)
	d := c.First
	if d == nil {
		return text + "; when repeated, both decide alike, so one of them is not deterministic"
	}
	return fmt.Sprintf("%s: request %d, key %s, cost %d, at %s: base %s, head %s", text, d.Number,
		message.Quote(d.Request.Key), d.Request.Cost, report.Span(d.Request.AtUS), decided(d.Model, "it"),
		decided(d.Server, "it"))
}

// decided describes a decision about what, such as a key.
func decided(d limit.Decision, what string) string {
	switch {
	case d.DelayUS > 0:
		return "admits " + what + " after " + report.Span(d.DelayUS)
	case d.Allowed():
		return "admits " + what
	}
	return "rejects " + what
}
