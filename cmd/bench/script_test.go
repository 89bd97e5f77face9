package main

import (
	"flag"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"ratelab/internal/cli/clitest"
)

var update = flag.Bool("update", false,
	"rewrite the golden parts of testdata/*.txtar: read the difference before committing it")

// The test's binary is the program too, for the scripts below testdata, and deliver.
func TestMain(m *testing.M) {
	clitest.Main(m, "bench", main, run, map[string]func(){"deliver": deliverMain})
}

func TestScripts(t *testing.T) {
	clitest.Scripts(t, "bench", *update, map[string]func(*testscript.TestScript, bool, []string){
		"example": exampleCmd,
	})
}
