package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ratelab/algorithms"
	"ratelab/internal/atomicfile"
	"ratelab/internal/chart"
	"ratelab/internal/cli"
	"ratelab/internal/engine"
	"ratelab/internal/examine"
	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/message"
	"ratelab/internal/redis"
	"ratelab/internal/result"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
	"ratelab/internal/script"
	"ratelab/internal/strictyaml"
	"ratelab/internal/virtualtime"
)

const aboutExamine = `Examine a limiter's script: what kind of limiter it is, and what is wrong with it.

examine plays a corpus of traffic. It compares each decision with known rules, given what the script
admitted before; one rule may explain all decisions. It also checks laws, such as that rejected
requests take nothing from later ones. A fault departs from the rule or breaks a law. A property is
the most that the rule admits. The binding of FILE.lua is FILE.yaml. If the limit is above 10 and
the binding passes it, examine uses a limit of about 10 per window, and plays little traffic at the
limit itself. It also tries three other limits, which findings name. If the binding has ends:, it
plays requests that end, too: settlements of costs, or slots under a limit such as 24/in_flight. With
--out, it writes a scenario file for each finding, with the traffic that shows it.

Exit codes: 0 no fault, 1 a fault, 2 usage or invalid input, 3 the harness could not run, 4 not
examined, 130 interrupted.`

const examplesExamine = `  simulate examine my.lua --limit 100/1m
  simulate examine my.lua --limit 30/1s --burst 10 --out shown   and a scenario for each finding
  simulate examine my.lua --limit 24/in_flight                   a limit on requests in flight
  simulate examine gcra --format json                            a built-in limiter`

// examineFlags are the flags of examine.
type examineFlags struct {
	cli.Limiters
	cli.Output
	redis  string
	search time.Duration
}

// examine returns the command that examines limiters' scripts.
func (a *app) examine() *cobra.Command {
	var f examineFlags
	c := &cobra.Command{
		Use: "examine FILE.lua …", Short: "Examine a limiter's script for faults",
		Long: aboutExamine, Example: examplesExamine, Args: cobra.MinimumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return algorithms.Names(), cobra.ShellCompDirectiveDefault
		},
		RunE: func(c *cobra.Command, args []string) error { return a.examined(c.Context(), &f, args) },
	}
	f.LimitFlags(c)
	f.AllowSeveral(c)
	cli.ServerFlag(c, &f.redis, redis.KindAuto, "auto (default), embedded, process, container")
	c.Flags().DurationVar(&f.search, "search", 0, "play changed traffic, too, for this `TIME` per script, such as 30s")
	c.Flags().Lookup("seed").Usage = "seed `N` of --search (default 1)"
	f.FormatFlag(c, examine.FormsOf(nil).Names())
	f.ReportFlag(c)
	f.FolderFlags(c, "", "result.json, and a scenario for each finding, with a chart of a fault")
	f.QuietFlag(c)
	return c
}

// ownServers are the servers that are started for an examination. A given server could not be stopped if a script
// loops.
var ownServers = []string{redis.KindAuto, redis.KindEmbedded, redis.KindProcess, redis.KindContainer}

// examined examines scripts, prints the findings, and returns the verdict as an error.
func (a *app) examined(ctx context.Context, f *examineFlags, args []string) error {
	asked, limits, err := f.asked()
	if err != nil {
		return err
	}
	style, err := f.Charts(false)
	if err == nil && f.Folder != "" {
		err = cli.CheckFolder("--out", f.Folder, f.Force)
	}
	if kind, _, _ := strings.Cut(f.redis, "="); !slices.Contains(ownServers, kind) {
		return cli.Usage("--redis %s: %s; examine starts its own server", message.Quote(f.redis),
			message.OneOf(f.redis, ownServers))
	}
	server := serverOf(f.redis, slices.ContainsFunc(args, limiter.IsScript))
	sides := make([]*limiter.Spec, len(args))
	for i, name := range args {
		var problem error
		if sides[i], problem = limiter.SpecOf(script.OnDisk(name), ""); problem == nil && limits != nil {
			_, problem = sides[i].UnderAll(limits, nil)
		} else if problem == nil {
			_, problem = sides[i].AtEnds(standardOr(asked))
		}
		err = errors.Join(err, problem)
	}
	if err != nil {
		return cli.Exit(cli.ExitUsage, err)
	}
	doc := result.New(result.OfExamine, cli.Version(version))
	bar := a.NewBar(f.Quiet)
	defer bar.Finish()
	stopped := false
	for i, side := range sides {
		bar.Count("examine "+message.Shown(args[i]), i, len(args))
		found, err := one(ctx, examine.Script{At: side.AtEnds, Asked: asked, Several: underAll(side, limits),
			Search: f.searching()}, server)
		if stopped = errors.Is(err, message.ErrInterrupted) && found != nil; err != nil && !stopped {
			return examineFault(args[i], err)
		}
		doc.Examinations = append(doc.Examinations, *found)
		if stopped {
			break
		}
	}
	bar.Finish()
	unwritten := a.writeFindings(f, doc, style)
	if err := examine.FormsOf(args).Write(a.Stdout, f.Format.Value, doc, a.Terminal(f.Quiet)); err != nil {
		return err
	}
	unwritten = errors.Join(unwritten, examine.FormsOf(args).WriteReport(f.Report, doc))
	if stopped {
		return errors.Join(unwritten, message.ErrInterrupted)
	}
	return errors.Join(unwritten, examinedVerdict(doc))
}

// standardOr returns the asked limit, or the standard one if asked is nil or has a window.
func standardOr(asked *limit.Policy) limit.Policy {
	if asked != nil && asked.Contract == limit.ByFlight {
		return *asked
	}
	return examine.Standard
}

// searching returns a search that begins now and lasts for --search, or nil for no search.
func (f *examineFlags) searching() *examine.Search {
	if f.search <= 0 {
		return nil
	}
	began, seed := time.Now(), uint64(1)
	if f.Seed.Value != nil {
		seed = *f.Seed.Value
	}
	return &examine.Search{Seed: seed, More: func() bool { return time.Since(began) < f.search }}
}

// one examines a script on its own server, since the script may do anything.
func one(ctx context.Context, s examine.Script, server engine.Spec) (*result.Examination, error) {
	e, err := engine.Start(ctx, server.Ours())
	if err != nil {
		return nil, err
	}
	defer e.Close()
	s.Engine = e
	found, err := s.Examine(ctx)
	if about := e.About(); found != nil {
		found.Server = &about
	}
	return found, e.Clean(ctx, err)
}

// examined examines all users' scripts, at one limit after the other. shown has the requests of the run at each limit.
// costs tells that requests have other costs than 1. several are several limits of the run.
func examined(ctx context.Context, files []script.File, limits []limit.Policy, shown map[limit.Policy][]limit.Request,
	costs bool, several []limit.Limit, server engine.Spec) (all []result.Examination, err error) {
	for i := range limits {
		for _, file := range files {
			side := limiter.OfFile(file)
			found, err := one(ctx, examine.Script{At: side.At, Asked: &limits[i], Costs: costs,
				Several: underAll(side, several), Shown: shown[limits[i]]}, server)
			if err != nil {
				return nil, err
			}
			all = append(all, *found)
		}
	}
	return all, nil
}

// mostShown is the largest number of requests of a run that are examined at each limit.
const mostShown = 20_000

// shownAt returns the requests of the plans at each limit. Plans with wrong clocks, or with costs that are known at the
// end, are left out.
func shownAt(plans []*run.Plan, limits []limit.Policy) map[limit.Policy][]limit.Request {
	all := map[limit.Policy][]limit.Request{}
	for i, p := range plans {
		at := result.LimitOf(p.Policy).Policy()
		if p.Scenario.HasActual() || !p.Scenario.Plain() || p.Scenario.ClocksOff() || !slices.Contains(limits, at) {
			continue
		}
		for q, err := range p.Stream.Requests() {
			if err != nil || len(all[at]) == mostShown {
				break
			}
			q.Key = fmt.Sprint(i, q.Key)
			all[at] = append(all[at], q)
		}
	}
	return all
}

// asked returns the limit that the flags give, or nil if they give none. If they give several, it returns the first and
// all of them.
func (f *examineFlags) asked() (*limit.Policy, []limit.Limit, error) {
	instead, err := f.Instead()
	if err != nil || instead.Limit == nil {
		return nil, nil, err
	}
	if limit.InFlight(instead.Limits) {
		return nil, nil, cli.Usage("--limit %s: examine takes a limit on requests in flight alone",
			limit.Names(instead.Limits))
	}
	p := run.NewPlan(&scenario.Scenario{}, instead)
	return &p.Policy, p.Limits, nil
}

// underAll returns a function that makes the limiter for several limits, or nil if there is one limit.
func underAll(side *limiter.Spec, limits []limit.Limit) func() (*limiter.Limiter, error) {
	if limits == nil {
		return nil
	}
	return func() (*limiter.Limiter, error) { return side.UnderAll(limits, nil) }
}

// examineFault returns the error for an examination that failed.
func examineFault(name string, err error) error {
	var compile *virtualtime.CompileError
	var binding strictyaml.Errors
	switch {
	case errors.As(err, &binding):
		return cli.Exit(cli.ExitUsage, err)
	case errors.Is(err, message.ErrInterrupted):
		return fmt.Errorf("%w: %s was not examined", message.ErrInterrupted, message.Path(name))
	case errors.As(err, &compile):
		return cli.Usage("%s: %w", message.Path(name), err)
	}
	return cli.ServerFault(err, scriptKinds)
}

// writeFindings writes the document, and a scenario and a chart for each finding, into the folder of --out, and notes
// this in the document.
func (a *app) writeFindings(f *examineFlags, doc *result.Document, style chart.Style) error {
	if f.Folder == "" {
		return nil
	}
	var figures []*chart.Figure
	err := os.MkdirAll(f.Folder, 0o755)
	for i := range doc.Examinations {
		e := &doc.Examinations[i]
		for k := range e.Findings {
			if e.Findings[k].Requests == 0 || err != nil {
				continue
			}
			found := &e.Findings[k]
			file := filepath.Join(f.Folder, examine.FileName(e, found))
			if err = atomicfile.WriteBytes(file, examine.Scenario(e, found)); err == nil {
				found.File = file
			}
			name := strings.TrimSuffix(filepath.Base(file), ".yaml")
			if drawn := chart.OfFinding(e, found, name); drawn != nil && style.Formats != nil {
				figures = append(figures, drawn)
			}
		}
	}
	if err == nil {
		_, err = chart.Write(f.Folder, figures, style)
	}
	if err == nil {
		f.ShowPictures(a.Stderr, style, figures)
		err = writeDocument(filepath.Join(f.Folder, "result.json"), doc)
	}
	if err != nil {
		return cli.Exit(cli.ExitHarness, fmt.Errorf("--out: %w", err))
	}
	return nil
}

// errFault is the error of a script with a fault. errNotExamined is the error of a script that was not examined.
var errFault, errNotExamined = errors.New("fault"), errors.New("not examined")

// examinedVerdict returns an error that names all faults, or all scripts that were not examined.
func examinedVerdict(doc *result.Document) error {
	var faults, rest []error
	for _, e := range doc.Examinations {
		for _, f := range e.Findings[:e.Faults()] {
			faults = append(faults, fmt.Errorf("%w: %s: %s", errFault, e.Algorithm, f.Name))
		}
		if e.NotExamined != "" {
			rest = append(rest, fmt.Errorf("%w: %s: %s", errNotExamined, e.Algorithm, e.NotExamined))
		}
	}
	switch {
	case faults != nil:
		return cli.Exit(cli.ExitMissed, errors.Join(faults...))
	case rest != nil:
		return cli.Exit(cli.ExitInconclusive, errors.Join(rest...))
	}
	return nil
}
