package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"ratelab/internal/atomicfile"
	"ratelab/internal/benchchart"
	"ratelab/internal/benchresult"
	"ratelab/internal/commandline"
	"ratelab/internal/curves"
	"ratelab/internal/message"
	"ratelab/internal/page"
	"ratelab/internal/report"
	"ratelab/internal/scenario"
	"ratelab/internal/simchart"
	"ratelab/internal/simulate"
)

// golden is the committed document, in the folder of the results.
const golden = "simulate.json"

// errDiffers is check's verdict.
var errDiffers = commandline.Exit(commandline.ExitMissed, errors.New("the results differ"))

// check is the exact gate.
func (a *app) check() *cobra.Command {
	var dir string
	var accept, quiet bool
	c := &cobra.Command{
		Use:   "check",
		Short: "Decide everything again and compare with the committed results, exactly",
		Long: `Decide every built-in scenario with every algorithm again, in virtual time on the embedded server, and compare
each figure and each hash of decisions with the committed results. Exit code 1 names the first difference. If the
change is meant, --accept writes the results anew: the document, and the pages with the pictures that they show. The
pages also show what bench run measured, where the folder has a bench/bench.json.`,
		Args: commandline.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.checkResults(cmd.Context(), dir, accept, quiet)
		},
	}
	c.Flags().StringVar(&dir, "results", "results", "`DIR` of the committed results")
	c.Flags().BoolVar(&accept, "accept", false, "write the results anew instead of comparing")
	c.Flags().BoolVarP(&quiet, "quiet", "q", false, "no progress")
	return c
}

func (a *app) checkResults(ctx context.Context, dir string, accept, quiet bool) error {
	if accept {
		return a.acceptResults(ctx, dir, quiet)
	}
	path := filepath.Join(dir, golden)
	want, err := readGolden(path)
	if err != nil {
		return err
	}
	result, err := a.decideAgain(ctx, quiet)
	if err != nil {
		return err
	}
	if difference, equal := report.Compare(want, &result.Document); !equal {
		return fmt.Errorf("%w: %s (simulate check --accept takes the new figures, if they are meant)", errDiffers,
			difference)
	}
	if err := checkPage(dir, result); err != nil {
		return err
	}
	return commandline.Println(a.Stdout,
		fmt.Sprintf("ok: %d scenarios decide as in %s", len(result.Document.Runs), path))
}

// acceptedCommand makes the figures of the committed page.
const acceptedCommand = "simulate"

// checkPage compares the committed web page with the one that these results give, byte by byte.
func checkPage(dir string, result *simulate.Result) error {
	path := filepath.Join(dir, indexPage)
	have, err := os.ReadFile(path)
	if err != nil {
		return commandline.Usage("%s: %w; make it with --accept", message.Path(path), message.Unreadable(err))
	}
	bench, err := readMeasured(dir)
	if err != nil {
		return err
	}
	var want bytes.Buffer
	if err := page.Write(&want, pageInput(result, bench, acceptedCommand)); err != nil {
		return err
	}
	if !bytes.Equal(have, want.Bytes()) {
		return fmt.Errorf("%w: %s does not show these figures (simulate check --accept writes it anew)", errDiffers,
			message.Path(path))
	}
	return nil
}

func (a *app) acceptResults(ctx context.Context, dir string, quiet bool) error {
	if err := commandline.RefuseForeign("--results", dir, "README.md", indexPage, golden); err != nil {
		return err
	}
	giveBack, err := commandline.MakeFolder("--results", dir)
	if err != nil {
		return err
	}
	result, err := a.decideAgain(ctx, quiet)
	if err == nil {
		err = verdict(&result.Document)
	}
	if err != nil {
		giveBack()
		return fmt.Errorf("not accepted: %w", err)
	}
	return a.accept(dir, result)
}

// decideAgain runs everything that is built in, to its end.
func (a *app) decideAgain(ctx context.Context, quiet bool) (*simulate.Result, error) {
	all, err := scenario.Builtin()
	if err != nil {
		return nil, err
	}
	job := a.newJob(all)
	job.Version = "" // the committed results change with the figures, not with every commit
	bar := commandline.NewBar(a.Stderr, quiet)
	defer bar.Finish()
	job.Progress = progress{bar}
	result, err := job.Run(ctx)
	if err == nil && result.Interrupted {
		return nil, fmt.Errorf("%w: nothing was compared and nothing accepted", commandline.ErrInterrupted)
	}
	return result, err
}

func readGolden(path string) (*report.Document, error) {
	doc, err := report.Read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, commandline.Usage("%s: no such file; run in the project's folder, name the folder with "+
			"--results, or make it with --accept", path)
	case err != nil:
		return nil, commandline.Usage("%w", err)
	}
	return doc, nil
}

// measuredFolder is where in the folder of the results lies what a server's wall clock measured.
const measuredFolder = "bench"

// readMeasured is what was measured, or nil where nothing was.
func readMeasured(dir string) (*benchresult.Document, error) {
	doc, err := benchresult.Read(filepath.Join(dir, measuredFolder))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, commandline.Usage("%w; measure it anew, or delete it", err)
	}
	return doc, nil
}

// pictures are of the runs that were played.
func pictures(bench *benchresult.Document, doc *report.Document) map[string]report.Picture {
	all := map[string]report.Picture{}
	for i := range doc.Runs {
		r := &doc.Runs[i]
		if play := bench.Of(r.Scenario, r.Limit, r.Seed); play != nil && curves.NewPlayed(play) != nil {
			all[r.Scenario] = report.Picture{Path: measuredFolder + "/" + benchchart.PlayedName(r.Scenario) + ".svg",
				By: bench.Server.String(), Trust: bench.Trust()}
		}
	}
	return all
}

// accept writes the results: the document, and the pages with the pictures that they show.
func (a *app) accept(dir string, result *simulate.Result) error {
	bench, err := readMeasured(dir)
	if err != nil {
		return err
	}
	charts := filepath.Join(dir, "charts")
	if err := os.MkdirAll(charts, 0o755); err != nil {
		return err
	}
	if err := atomicfile.Sweep(charts); err != nil {
		return err
	}
	for _, in := range result.Charts {
		if _, err := simchart.WriteWindow(charts, in); err != nil {
			return err
		}
	}
	doc := &result.Document
	page := func(w io.Writer) error { return report.WritePage(w, doc, "charts", pictures(bench, doc)) }
	if err := atomicfile.Write(filepath.Join(dir, "README.md"), page); err != nil {
		return err
	}
	if err := writePage(dir, result, bench, acceptedCommand); err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(dir, golden), func(w io.Writer) error { return report.WriteJSON(w, doc) })
}
