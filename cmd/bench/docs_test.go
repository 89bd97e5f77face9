package main

import (
	"flag"
	"testing"

	"github.com/spf13/cobra"

	"ratelab/internal/commandline/commandlinetest"
)

var rewrite = flag.Bool("rewrite", false,
	"write the outputs on the pages anew: read the difference before committing it")

// Every output on a page is what its command prints.
func TestDocsOutputs(t *testing.T) { commandlinetest.Outputs(t, "bench", *rewrite, run) }

// Every command line on a page has flags and arguments that there are.
func TestDocsCalls(t *testing.T) {
	commandlinetest.Calls(t, "bench", func() *cobra.Command { return newRoot(&app{}) })
}
