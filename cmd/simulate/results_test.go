package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ratelab/internal/atomicfile"
	"ratelab/internal/chart"
	"ratelab/internal/cli"
	"ratelab/internal/curves"
	"ratelab/internal/longtest"
	"ratelab/internal/page"
	"ratelab/internal/redis"
	"ratelab/internal/report"
	"ratelab/internal/result"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
)

// The committed pages show the figures of the committed document; make results writes both.
func TestResultsPages(t *testing.T) {
	if !*update {
		longtest.Skip(t, "decides everything built in")
	}
	a := &app{cli.Streams{Stdout: io.Discard, Stderr: io.Discard}}
	all, err := scenario.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	job := a.newJob(all, redis.KindEmbedded)
	job.Version = ""
	found, err := job.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	results := filepath.Join("..", "..", "results")
	if *update {
		if err := errors.Join(verdict(&found.Document), writeResults(results, found)); err != nil {
			t.Fatal(err)
		}
		return
	}
	bench, err := readMeasured(results)
	if err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func(io.Writer) error{"README.md": readme(found, bench),
		indexPage: func(w io.Writer) error { return page.Write(w, pageInput(found, bench, "simulate")) }} {
		have, err := os.ReadFile(filepath.Join(results, name))
		if err != nil {
			t.Fatal(err)
		}
		var want bytes.Buffer
		if err := write(&want); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(have, want.Bytes()) {
			t.Errorf("results/%s does not show these figures; make results writes it anew", name)
		}
	}
}

// writeResults writes the document, and the pages with the pictures that they show.
func writeResults(folder string, found *run.Result) error {
	bench, err := readMeasured(folder)
	if err != nil {
		return err
	}
	for _, in := range found.Charts {
		for _, f := range chart.OfRun(in) {
			if !strings.HasSuffix(f.Name, ".window") {
				continue
			}
			path := filepath.Join(folder, "charts", f.Name+".svg")
			if err := os.WriteFile(path, f.Encode("svg"), 0o644); err != nil {
				return err
			}
		}
	}
	return errors.Join(atomicfile.Write(filepath.Join(folder, "README.md"), readme(found, bench)),
		writePage(folder, found, "simulate"), writeDocument(filepath.Join(folder, golden), &found.Document))
}

// readme writes the page of the results: all scenarios at a glance, then of each its tables, the picture of its rolling
// window, and that of what was measured where there is one.
func readme(found *run.Result, bench *result.Document) func(io.Writer) error {
	doc := &found.Document
	return func(w io.Writer) error {
		fmt.Fprint(w, "# Results\n\n"+
			"Every figure and picture on this page was made by `make results`, and `simulate check` decides "+
			"everything\nagain and compares, exactly. One scenario alone: `go run ./cmd/simulate NAME`.\n\n"+
			"The same as one page for a browser, with values at the cursor: [index.html](index.html).\n\n")
		if slices.ContainsFunc(doc.Runs, func(r result.Run) bool { return picture(bench, &r) != "" }) {
			fmt.Fprint(w, "Only response times are no decisions: they were measured by `make results-bench`: "+
				"[bench](bench/README.md).\n\n")
		}
		matrix := report.Matrix(doc)
		for i := range matrix.Rows {
			matrix.Rows[i].Cells[0].Link = "#" + doc.Runs[i].Scenario
		}
		lead := report.Line{Text: report.GlanceKey + ". A burst is a capacity, so a bucket may let more through: " +
			"compare rows with the same burst."}
		glance := report.Part{Title: "At a glance", Level: 2, Lead: []report.Line{lead},
			Tables: []report.Table{matrix}}
		err := report.Sheet{glance}.WriteMarkdown(w)
		for i := range doc.Runs {
			r := &doc.Runs[i]
			fmt.Fprintln(w)
			err = errors.Join(err, report.Sheet{report.RunPart(r)}.WriteMarkdown(w))
			fmt.Fprintln(w)
			measured := picture(bench, r)
			if measured != "" {
				fmt.Fprint(w, "Decided in virtual time, exact:\n\n")
			}
			fmt.Fprintf(w, "![%s: admitted in the rolling window, against the limit](charts/%[1]s.window.svg)\n\n%s"+
				"More charts: [index.html](index.html#%[1]s), or with their data `go run ./cmd/simulate %[1]s`.\n",
				r.Scenario, measured)
		}
		return err
	}
}

// picture is the part of the page about what was measured of a run; empty where nothing was.
func picture(bench *result.Document, r *result.Run) string {
	play := bench.Of(r.Scenario, r.Limit, r.Seed)
	if play == nil || curves.NewPlayed(bench, play) == nil {
		return ""
	}
	return fmt.Sprintf("Measured on the wall clock of %s; %s:\n\n![%s: offered and let through, the rolling window "+
		"and response times, over time](%s/%[3]s.admitted-latency.svg)\n\n",
		report.EscapeMarkdown(bench.Server.String()), report.EscapeMarkdown(report.Trust(bench)), r.Scenario,
		measuredFolder)
}
