package main

import (
	"flag"
	"testing"

	"ratelab/internal/cli/clitest"
)

var update = flag.Bool("update", false,
	"rewrite the golden parts of testdata/*.txtar: read the difference before committing it")

// The test's binary is the program too, for the scripts below testdata.
func TestMain(m *testing.M) { clitest.Main(m, "simulate", main, program, nil) }

func TestScripts(t *testing.T) { clitest.Scripts(t, "simulate", *update, nil) }

// The scripts hold as many refused calls as were promised.
func TestRefusalsAreMany(t *testing.T) {
	if calls := clitest.Refusals(t); calls < 60 {
		t.Errorf("%d refused calls; want 60", calls)
	}
}
