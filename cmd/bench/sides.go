package main

import (
	"io"
	"path/filepath"
	"time"

	"ratelab/internal/atomicfile"
	"ratelab/internal/bench"
	"ratelab/internal/benchresult"
	"ratelab/internal/commandline"
	"ratelab/internal/compare"
	"ratelab/internal/load"
	"ratelab/internal/result"
	"ratelab/internal/scenario"
)

// comparison is what the flags and arguments ask for.
func (a *app) comparison(f *compareFlags, args []string) (*bench.Comparison, error) {
	choices, err := commandline.Choices("--algorithms", f.algorithms)
	if err != nil {
		return nil, err
	}
	var list []*scenario.Scenario
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
	pairedNames = append([]string{compare.SideBase + ".txt", compare.SideHead + ".txt", result.Paired.File}, reportNames...)
)

// writeReport keeps the comparison for machines and for a pull request.
func writeReport(folder string, report *compare.Report) error {
	markdown := func(w io.Writer) error { return compare.WriteMarkdown(w, report) }
	if err := atomicfile.Write(filepath.Join(folder, "comparison.md"), markdown); err != nil {
		return err
	}
	json := func(w io.Writer) error { return compare.WriteJSON(w, report) }
	return atomicfile.Write(filepath.Join(folder, "comparison.json"), json)
}

// writePaired keeps what was measured, in the benchmark format for each side too, and the comparison. The document
// comes last, so that it vouches for the others.
func writePaired(folder string, found *benchresult.Paired, report *compare.Report) error {
	for _, side := range []string{compare.SideBase, compare.SideHead} {
		samples := func(w io.Writer) error { return compare.WriteBench(w, report, side) }
		if err := atomicfile.Write(filepath.Join(folder, side+".txt"), samples); err != nil {
			return err
		}
	}
	if err := writeReport(folder, report); err != nil {
		return err
	}
	document := func(w io.Writer) error { return benchresult.WritePaired(w, found) }
	return atomicfile.Write(filepath.Join(folder, result.Paired.File), document)
}
