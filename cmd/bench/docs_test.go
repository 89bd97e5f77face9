package main

import (
	"testing"

	"github.com/spf13/cobra"

	"ratelab/internal/commandline/commandlinetest"
)

// Every command line on a page has flags and arguments that there are.
func TestDocsCalls(t *testing.T) {
	commandlinetest.Calls(t, "bench", func() *cobra.Command { return newRoot(&app{}) })
}
