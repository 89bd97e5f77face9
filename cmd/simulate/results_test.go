package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ratelab/algorithms"
	"ratelab/internal/atomicfile"
	"ratelab/internal/chart"
	"ratelab/internal/cli"
	"ratelab/internal/curves"
	"ratelab/internal/limit"
	"ratelab/internal/longtest"
	"ratelab/internal/page"
	"ratelab/internal/recommend"
	"ratelab/internal/redis"
	"ratelab/internal/report"
	"ratelab/internal/result"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
)

// Everything is decided as in the committed document, exactly, as the command check has it. The committed pages and
// pictures show these figures. make results writes all of it.
func TestResultsPages(t *testing.T) {
	if !*update {
		longtest.Skip(t, "decides everything built in")
	}
	a := &app{cli.Streams{Stdout: io.Discard, Stderr: io.Discard}}
	job, _, err := (&checkFlags{redis: redis.KindEmbedded}).job(nil)
	if err != nil {
		t.Fatal(err)
	}
	found, err := a.decideAgain(t.Context(), job, true)
	if err != nil {
		t.Fatal(err)
	}
	results, take := filepath.Join("..", "..", "results"), answers(t, job.Scenarios)
	swept := burstSweep(t)
	if *update {
		bench, err := readMeasured(results)
		err = errors.Join(err, verdict(&found.Document), writeResults(t, results, found, swept, bench, take))
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := readGolden(filepath.Join(results, golden), "make results")
	if err != nil {
		t.Fatal(err)
	}
	if found := lines(figures(t.Context(), job, nil, want, &found.Document)); found != nil {
		t.Errorf("%v; if that is meant, make results writes it anew", errors.Join(found...))
	}
	gcra := slices.IndexFunc(want.Runs[0].Results, func(r result.Row) bool { return r.Algorithm == "gcra" })
	want.Runs[0].Results[gcra].Admitted++
	named := lines(figures(t.Context(), job, nil, want, &found.Document))
	if len(named) != 1 || named[0].Error() != "gcra: aligned-window-worst: admitted is 1033, was 1034" {
		t.Errorf("another figure is named %v", named)
	}
	bench, err := readMeasured(results)
	if err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func(io.Writer) error{"README.md": readme(found, take),
		indexPage: index(t, results, found, bench)} {
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
	err = windows(append(found.Charts, swept...), func(name string, picture []byte) error {
		have, err := os.ReadFile(filepath.Join(results, name))
		if err == nil && !bytes.Equal(have, picture) {
			t.Errorf("results/%s is another picture; make results draws it anew", name)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// burstSweep returns the input of the chart about the burst.
func burstSweep(t *testing.T) []curves.Input {
	s, err := algorithms.Sweep("gcra:burst=1..100")
	if err != nil {
		t.Fatal(err)
	}
	poisson, err := scenario.Load("poisson")
	if err != nil {
		t.Fatal(err)
	}
	job := newJob([]*scenario.Scenario{poisson}, run.ModelServer, false)
	job.Algorithms, job.Sweeps, job.Version = s.Rows, []*algorithms.Swept{s}, ""
	found, err := job.decide(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return found.Charts
}

// windows gives the pictures that the pages show, light and dark, by their names in the folder of results.
func windows(charts []curves.Input, each func(name string, picture []byte) error) error {
	for _, in := range charts {
		shown := ".window"
		if in.Run.Sweeps != nil {
			shown = ".sweep"
		}
		for _, f := range chart.OfRun(in) {
			if !strings.HasSuffix(f.Name, shown) {
				continue
			}
			for _, dark := range []string{"", ".dark"} {
				err := each(filepath.Join("charts", f.Name+dark+".svg"), f.Encode("svg", dark != "", 1))
				if err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// writeResults writes the document, and the pages with the pictures that they show.
func writeResults(t *testing.T, folder string, found *run.Result, swept []curves.Input, bench *result.Document,
	take report.Part) error {
	err := windows(append(found.Charts, swept...), func(name string, picture []byte) error {
		return os.WriteFile(filepath.Join(folder, name), picture, 0o644)
	})
	if err != nil {
		return err
	}
	return errors.Join(atomicfile.Write(filepath.Join(folder, "README.md"), readme(found, take)),
		atomicfile.Write(filepath.Join(folder, indexPage), index(t, folder, found, bench)),
		writeDocument(filepath.Join(folder, golden), &found.Document))
}

// index writes the page with charts, and with what libraries do.
func index(t *testing.T, folder string, found *run.Result, bench *result.Document) func(io.Writer) error {
	in := pageInput(found, bench, "simulate")
	in.Also = report.Sheet{libraries(t, filepath.Join(folder, "libraries"))}
	return func(w io.Writer) error { return page.Write(w, in) }
}

// libraries is what examinations of limiters that people deploy found. Their page says the rest.
func libraries(t *testing.T, folder string) report.Part {
	table := report.Table{Caption: "Libraries, and scripts of other projects", Columns: []report.Column{
		{Name: "limiter", Words: true}, {Name: "decides as", Words: true}, {Name: "x limit"},
		{Name: "faults", Words: true}}}
	for _, file := range []string{"examined.json", "scripts.json"} {
		var doc result.Document
		text, err := os.ReadFile(filepath.Join(folder, file))
		if err := errors.Join(err, json.Unmarshal(text, &doc)); err != nil {
			t.Fatal(err)
		}
		for _, e := range doc.Examinations {
			var faults []string
			for _, f := range e.Findings[:e.Faults()] {
				if !slices.Contains(faults, f.Name) {
					faults = append(faults, f.Name)
				}
			}
			table.Rows = append(table.Rows, report.TableRow{Cells: report.Cells(e.Algorithm,
				cmp.Or(e.Family, "no rule built in"), report.Times(float64(e.Worst)/float64(e.Limit.Policy().Requests)),
				cmp.Or(strings.Join(faults, ", "), "none"))})
		}
	}
	for _, row := range table.Rows {
		row.Cells[0].Link = "libraries/README.md"
	}
	lead := "Each as its project has it, under a clock that the test moves. x limit is the most that it was made to " +
		"admit in one window. Versions, commands and traffic are in libraries/README.md."
	return report.Part{Title: "What do limiters do that people deploy?", Level: 2, Lead: []report.Line{{Text: lead}},
		Tables: []report.Table{table}}
}

// readme writes the page of the results: all scenarios at a glance, the limiter to take for each, and the picture of
// each one's rolling window.
func readme(found *run.Result, take report.Part) func(io.Writer) error {
	doc := &found.Document
	return func(w io.Writer) error {
		matrices := report.Matrices(doc, func(run int) report.Cell {
			return report.Cell{Text: doc.Runs[run].Scenario, Link: "#" + doc.Runs[run].Scenario}
		})
		fmt.Fprint(w, "# Results\n\n"+
			"`make results` writes this page, and `simulate check` decides everything again and compares, exactly. "+
			"All tables\nand charts of each scenario are in [index.html](index.html), or come from "+
			"`go run ./cmd/simulate NAME`.\nLibraries that people deploy have "+
			"[a page of their own](libraries/README.md).\n\n")
		err := report.Sheet(append(matrices, take)).WriteMarkdown(w)
		fmt.Fprint(w, "\n## How large should the burst be?\n\n`simulate poisson --sweep gcra:burst=1..100` draws "+
			"this: random traffic whose mean rate is the limit of 10 per second.\nA small burst loses traffic. A "+
			"large one admits more in one second.\n\n", chart.Picture("charts/poisson.sweep.svg",
			"poisson: by the burst of gcra, how far above the limit, and how much is lost"))
		fmt.Fprint(w, "\n## Admitted in the last window\n")
		for i := range doc.Runs {
			r, what := &doc.Runs[i], "admitted in the last window"
			if r.Limit.Contract == limit.ByFlight {
				what = "requests in flight"
			}
			fmt.Fprintf(w, "\n### %s\n\n%s\n\n%s", r.Scenario, report.EscapeMarkdown(r.Question), chart.Picture(
				"charts/"+r.Scenario+".window.svg", r.Scenario+": "+what+", against the limit"))
		}
		return err
	}
}

// answers is the limiter to take for each scenario that can be asked about, by the rule of simulate recommend.
func answers(t *testing.T, all []*scenario.Scenario) report.Part {
	table := report.Table{Columns: []report.Column{{Name: "scenario", Words: true}, {Name: "limit", Words: true},
		{Name: "take", Words: true}, {Name: "lost"}}}
	for _, s := range all {
		if noChoice(s) != "" {
			continue
		}
		pick := func(c limit.Contract) *result.Price {
			q := recommend.Question{Scenarios: []*scenario.Scenario{s}, Instead: run.Instead{Contract: &c}}
			doc, err := q.Answer(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return &doc.Answers[0].Rows[0]
		}
		if got := pick(limit.ByBucket); got.Limiter != "gcra" || got.Lost != 0 {
			t.Errorf("%s: by the bucket it is %s; say so on the page", s.Name, got.Limiter)
		}
		window := pick(limit.ByWindow)
		table.Rows = append(table.Rows, report.TableRow{Cells: report.Cells(s.Name,
			limit.Policy{Requests: s.Limit.Requests, Window: s.Limit.Window}.String(), window.Limiter,
			report.Percent(window.Lost))})
	}
	return report.Part{Title: "Which limiter to take", Level: 2, Lead: []report.Line{
		{Text: "simulate recommend says: for never more than the limit in any window, the limiter below; for the " +
			"limit on average and a burst at once, gcra in every scenario."}},
		Tables: []report.Table{table}}
}
