package main

import (
	"io"
	"path/filepath"
	"time"

	"ratelab/internal/bench"
	"ratelab/internal/commandline"
	"ratelab/internal/load"
	"ratelab/internal/recording"
	"ratelab/internal/regress"
	"ratelab/internal/result"
	"ratelab/internal/wholefile"
	"ratelab/scenarios"
)

// comparison is what the flags and arguments ask for.
func (a *app) comparison(f *compareFlags, args []string) (*bench.Comparison, error) {
	choices, err := commandline.Choices("--algorithms", f.algorithms)
	if err != nil {
		return nil, err
	}
	var list []*scenarios.Scenario
	if len(args) > 0 {
		if list, err = commandline.LoadScenarios(args); err != nil {
			return nil, err
		}
	}
	return &bench.Comparison{
		Base: bench.SideSpec{Spec: f.base, As: f.as}, Head: bench.SideSpec{Spec: f.head, As: f.as},
		Algorithms: choices, Scenarios: list, Server: f.redis, AllowEviction: f.eviction, Mix: f.mix,
		Pairs: f.pairs.Value, Segment: f.segment.Value, WarmUp: orNone(f.warmUp.Value), Connections: f.connections.Value,
		Version: commandline.Version(version), Now: time.Now, Sleep: load.Wait, Stop: a.Stop,
	}, nil
}

// The names of the files that writeReport and writePaired write.
var (
	reportNames = []string{"comparison.md", "comparison.json"}
	pairedNames = append([]string{regress.SideBase + ".txt", regress.SideHead + ".txt", result.Paired.File}, reportNames...)
)

// writeReport keeps the comparison for machines and for a pull request.
func writeReport(folder string, report *regress.Report) error {
	markdown := func(w io.Writer) error { return regress.WriteMarkdown(w, report) }
	if err := wholefile.Write(filepath.Join(folder, "comparison.md"), markdown); err != nil {
		return err
	}
	json := func(w io.Writer) error { return regress.WriteJSON(w, report) }
	return wholefile.Write(filepath.Join(folder, "comparison.json"), json)
}

// writePaired keeps what was measured, in the benchmark format for each side too, and the comparison. The document
// comes last, so that it vouches for the others.
func writePaired(folder string, found *recording.Paired, report *regress.Report) error {
	for _, side := range []string{regress.SideBase, regress.SideHead} {
		samples := func(w io.Writer) error { return regress.WriteBench(w, report, side) }
		if err := wholefile.Write(filepath.Join(folder, side+".txt"), samples); err != nil {
			return err
		}
	}
	if err := writeReport(folder, report); err != nil {
		return err
	}
	document := func(w io.Writer) error { return recording.WritePaired(w, found) }
	return wholefile.Write(filepath.Join(folder, result.Paired.File), document)
}
