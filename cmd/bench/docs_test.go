package main

import (
	"testing"

	"github.com/spf13/cobra"

	"ratelab/internal/cli"
	"ratelab/internal/cli/clitest"
)

// Every command line on a page has flags and arguments that there are.
func TestDocsCalls(t *testing.T) {
	clitest.Calls(t, "bench", func() *cobra.Command { return newRoot(cli.Streams{}) })
}
