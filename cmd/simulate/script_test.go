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
