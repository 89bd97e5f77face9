package main

import (
	"flag"
	"testing"

	"ratelab/internal/commandline/commandlinetest"
)

var update = flag.Bool("update", false,
	"rewrite the golden parts of testdata/*.txtar: read the difference before committing it")

// The test's binary is the program too, for the scripts below testdata.
func TestMain(m *testing.M) { commandlinetest.Main(m, "simulate", main, run, nil) }

func TestScripts(t *testing.T) { commandlinetest.Scripts(t, "simulate", *update, nil) }

// The scripts hold as many refused calls as were promised.
func TestRefusalsAreMany(t *testing.T) {
	if calls := commandlinetest.Refusals(t); calls < 60 {
		t.Errorf("%d refused calls; want 60", calls)
	}
}
