package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"ratelab/internal/atomicfile"
	"ratelab/internal/commandline"
	"ratelab/internal/message"
	"ratelab/internal/redisserver"
	"ratelab/internal/scenario"
	"ratelab/internal/waiting"
	"ratelab/internal/worst"
)

const aboutWorst = `Search for the traffic with which an algorithm admits the most in any interval of a given length,
and write the smallest scenario that shows it.

The search plays adversary against the algorithm's Go model: it chooses the phase of the clock,
opens windows with single requests, floods, waits until everything is back or the interval ends,
floods again, takes each request as it is promised, and then changes its best plans at random. What
it finds is made small, written as a scenario, and decided again, request by request, by the
algorithm's script on a server before it is reported. It compares with the algorithm's own bound:
100 % says that the bound is tight, and more than that that it is broken (exit code 1).

Without arguments every algorithm that promises a bound is searched. A --script of your own has no
model to ask: it meets the worst traffic of each of these algorithms, and the most that it admits
is said. The same seed and budget give the same answer. A scenario is run again, with the
expectations that it states, by its name: simulate results/latest-worst/worst-gcra.yaml`

const examplesWorst = `  simulate worst                                       every algorithm at 100 per second
  simulate worst gcra gcra:burst=10 --limit 1000/1m    one algorithm with two bursts, at your limit
  simulate worst fixed-window --within 10ms            the most that passes within 10 ms
  simulate worst token-bucket-debt --largest-cost 10   a request may cost up to 10
  simulate worst --script my.lua                       what my.lua admits of each one's worst
  simulate worst --redis process --limit 1000000/1h    a large limit, confirmed on a real redis-server`

// worst searches for the worst traffic of algorithms.
func (a *app) worst() *cobra.Command {
	var f worstFlags
	c := &cobra.Command{
		Use:     "worst [algorithm …] [flags]",
		Short:   "Search for the traffic with which an algorithm admits the most",
		Long:    aboutWorst,
		Example: examplesWorst,
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.findWorst(cmd.Context(), &f, args)
		},
		ValidArgsFunction: cobra.FixedCompletions(promising(), cobra.ShellCompDirectiveNoFileComp),
	}
	f.register(c)
	commandline.Help(c, f.Groups, worstClosing)
	return c
}

const worstClosing = `Exit codes: 0 ok, also where the budget ran out · 1 a bound is broken · 2 usage · 3 the harness could not
run, or the script decides otherwise than the model · 130 interrupted, with what there was.
`

// finding is one algorithm's search, on its way to a row and a file.
type finding struct {
	problem  worst.Problem
	found    worst.Found
	scenario *scenario.Scenario
	file     []byte
	row      worst.Finding
}

// findWorst searches, confirms, prints the table, and writes the files. Without a server that confirms, nothing is
// printed and no file is written; where it decides otherwise, the files are there to look at.
func (a *app) findWorst(ctx context.Context, f *worstFlags, args []string) error {
	problems, err := f.problems(args)
	if err != nil {
		return err
	}
	if err := commandline.RefuseForeign("--out", f.Folder, worstNames(problems)...); err != nil {
		return err
	}
	giveBack, err := commandline.MakeFolder("--out", f.Folder)
	if err != nil {
		return err
	}
	all, err := a.searchAll(problems, f.Quiet)
	if err != nil {
		giveBack()
		return err
	}
	doc := problems[0].Document(commandline.Version(version))
	doc.Partial = a.stopped()
	differs, err := a.confirm(ctx, f, all, &doc)
	if err != nil {
		giveBack()
		return commandline.ServerFlag(err, "redis", redisserver.Kinds)
	}
	for _, one := range all {
		doc.Results = append(doc.Results, one.row)
	}
	files := func() error { return worstFiles(f.Folder, problems, all, &doc) }
	if differs != nil {
		nothing := func() error { return nil }
		return commandline.Deliver(a.Stdout, nothing, files,
			fmt.Errorf("%w; the files are in %s", differs, message.Path(f.Folder)))
	}
	return a.deliverWorst(f, &doc, files)
}

// deliverWorst prints the result, writes the files, says where they are, and gives the verdict.
func (a *app) deliverWorst(f *worstFlags, doc *worst.Document, files func() error) error {
	figures := func() error { return worst.Forms.Write(a.Stdout, f.Format, doc, f.Terminal(a.Stdout)) }
	writeFiles := func() error {
		err := files()
		if err == nil && !f.Quiet && len(doc.Results) > 0 {
			fmt.Fprintf(a.Stderr, "simulate: the scenarios and worst.json are in %s\n", f.Folder)
		}
		return err
	}
	return commandline.Deliver(a.Stdout, figures, writeFiles, worstVerdict(f, doc))
}

// worstNames are the names of the files that writeWorst writes.
func worstNames(problems []worst.Problem) []string {
	names := []string{worstFile, schemaFile}
	for _, p := range problems {
		names = append(names, worst.Name(p.Instance.Label)+".yaml")
	}
	return names
}

// worstFiles writes the files, unless one of somebody else has come there during the search.
func worstFiles(folder string, problems []worst.Problem, all []*finding, doc *worst.Document) error {
	if err := commandline.RefuseForeign("--out", folder, worstNames(problems)...); err != nil {
		return err
	}
	if err := writeWorst(folder, all, doc); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return nil
}

func (a *app) stopped() bool { return waiting.Closed(a.Stop) }

// searchAll searches for one algorithm after the other; after an interrupt for none that has not begun.
func (a *app) searchAll(problems []worst.Problem, quiet bool) ([]*finding, error) {
	bar := a.NewBar(quiet)
	defer bar.Finish()
	fileOf := map[string]string{}
	var all []*finding
	for i, p := range problems {
		if a.stopped() && i > 0 {
			break
		}
		bar.Start(commandline.NumberOf(p.Instance.Label, i+1, len(problems)), p.Budget)
		p.Stop, p.Progress = a.Stop, bar.Set
		one := &finding{problem: p, found: p.Search()}
		if one.found.Most == 0 {
			continue // interrupted before anything was admitted
		}
		name := worst.Name(p.Instance.Label)
		if other := fileOf[name]; other != "" {
			return nil, commandline.Usage("%s and %s would both be written to %s.yaml; search for one at a time", other,
				p.Instance.Label, name)
		}
		fileOf[name] = p.Instance.Label
		if err := one.write(name); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// write makes the scenario and its file, and from now on goes by what the file says.
func (f *finding) write(name string) error {
	s := f.problem.Scenario(&f.found, name)
	var err error
	if f.file, err = scenario.Write(s, f.problem.Comments(&f.found)...); err != nil {
		return err
	}
	if f.scenario, err = scenario.Parse(name+".yaml", f.file); err != nil {
		return err
	}
	f.row = f.problem.Row(&f.found, s)
	return nil
}

// The files beside the scenarios.
const (
	worstFile  = "worst.json"
	schemaFile = "schema.json"
)

// writeWorst writes the scenarios, the schema that their first line names, and the document.
func writeWorst(folder string, all []*finding, doc *worst.Document) error {
	whole := func(name string, data []byte) error {
		return atomicfile.Write(filepath.Join(folder, name), func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		})
	}
	for _, one := range all {
		if err := whole(one.row.File, one.file); err != nil {
			return err
		}
	}
	if err := whole(schemaFile, scenario.Schema()); err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(folder, worstFile),
		func(w io.Writer) error { return worst.WriteJSON(w, doc) })
}

// worstVerdict is whether the search came to its end, and every bound holds.
func worstVerdict(f *worstFlags, doc *worst.Document) error {
	if doc.Partial {
		return fmt.Errorf("%w: the figures are the worst found so far, and no server has confirmed them",
			commandline.ErrInterrupted)
	}
	for _, r := range doc.Results {
		if r.Broken {
			return commandline.Exit(commandline.ExitMissed,
				fmt.Errorf("the bound of %s is broken: %d admitted in %d us, bound %d; %s shows it",
					message.Visible(r.Algorithm), r.MostAdmitted, doc.WithinUS, r.Bound, filepath.Join(f.Folder,
						r.File)))
		}
	}
	return nil
}
