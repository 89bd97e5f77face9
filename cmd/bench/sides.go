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
		Pairs: f.pairs.Value, Segment: f.segment.Value, WarmUp: orNone(f.warmUp.Value),
		Connections:  f.connections.Value,
		Instructions: f.ways(), States: f.states, Untimed: f.instructionsOnly, EveryGate: f.everyGate, Pinned: f.pinned,
		Version: commandline.Version(version), Now: time.Now, Sleep: load.Wait, Stop: a.Stop,
	}, nil
}

// pairedNames are the files that writePaired writes.
var pairedNames = []string{
	compare.SideBase + ".txt", compare.SideHead + ".txt", "comparison.md", "comparison.json", result.Paired.File,
}

// writePaired keeps what was measured, in the benchmark format for each side too, and the comparison, for machines and
// for a pull request. The document comes last, so that it vouches for the others.
func writePaired(folder string, found *benchresult.Paired, report *compare.Report) error {
	writers := []func(io.Writer) error{ // in the order of pairedNames
		func(w io.Writer) error { return compare.WriteBench(w, report, compare.SideBase) },
		func(w io.Writer) error { return compare.WriteBench(w, report, compare.SideHead) },
		func(w io.Writer) error { return compare.WriteMarkdown(w, report) },
		func(w io.Writer) error { return compare.WriteJSON(w, report) },
		func(w io.Writer) error { return benchresult.WritePaired(w, found) },
	}
	for i, write := range writers {
		if err := atomicfile.Write(filepath.Join(folder, pairedNames[i]), write); err != nil {
			return err
		}
	}
	return nil
}
