package main

import (
	"slices"
	"testing"

	"ratelab/internal/measure"
	"ratelab/internal/report"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
)

// No table has more than eight columns, and a subject has one only where the scenario is about it.
func TestTablesHaveEightColumns(t *testing.T) {
	all, err := scenario.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	about := map[string]int{"extreme-case-1": 1, "managed-bucket": 1, "zipf-head": 1, "mixed-costs": 1,
		"noisy-neighbour": 2, "obedient-crowd": 2, "server-clock-step": 2, "client-clocks": 3, "trimmed-queue": 2,
		"racing-clients": 2, "incr-then-crash": 2, "over-limit-flag": 2}
	all = slices.DeleteFunc(all, func(s *scenario.Scenario) bool { return about[s.Name] == 0 })
	found, err := (&run.Ask{Scenarios: all}).Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range found.Document.Runs {
		r := &found.Document.Runs[i]
		tables := report.Tables(r, measure.Table, nil)
		for _, table := range tables {
			if len(table.Columns) > 8 {
				t.Errorf("%s: %q has %d columns", r.Scenario, table.Title, len(table.Columns))
			}
		}
		if len(tables) != about[r.Scenario] {
			t.Errorf("%s: %d tables; want %d", r.Scenario, len(tables), about[r.Scenario])
		}
	}
}
