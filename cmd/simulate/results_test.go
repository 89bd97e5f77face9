package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
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
		if err := chart.Window(in).WriteSVG(filepath.Join(folder, "charts")); err != nil {
			return err
		}
	}
	return errors.Join(atomicfile.Write(filepath.Join(folder, "README.md"), readme(found, bench)),
		writePage(folder, found, "simulate"), writeDocument(filepath.Join(folder, golden), &found.Document))
}

// readme writes the page of the results; pictures are of the runs that were played.
func readme(found *run.Result, bench *result.Document) func(io.Writer) error {
	pictures := map[string]report.Picture{}
	for i := range found.Document.Runs {
		r := &found.Document.Runs[i]
		if play := bench.Of(r.Scenario, r.Limit, r.Seed); play != nil && curves.NewPlayed(bench, play) != nil {
			path := measuredFolder + "/" + chart.PlayedFile(r.Scenario)
			pictures[r.Scenario] = report.Picture{Path: path, By: bench.Server.String(), Trust: report.Trust(bench)}
		}
	}
	return func(w io.Writer) error { return report.WritePage(w, &found.Document, "charts", pictures) }
}
