// Command bench measures the speed of rate limiters' Lua scripts on a real server, on the wall clock. It also judges
// whether a change made a script more expensive. See bench --help.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"ratelab/internal/cli"
	"ratelab/internal/counting"
	"ratelab/internal/message"
	"ratelab/internal/redis"
	"ratelab/internal/result"
)

const about = `Measure how fast rate limiters are on a real Redis, and check whether a changed script costs more:
response times and server time on your traffic, and counted instructions, commands and bytes.

Exit codes: 0 ok, 1 a regression, 2 usage or invalid input, 3 the harness could not run, 4
inconclusive: the generator did not keep up or the server stood still; 130 interrupted.`

const examples = `  bench run                                            the usual limiters, in two minutes
  bench run my-scenario.yaml --script my.lua           your own traffic, your own script
  bench compare --base old/gcra.lua --head lua/gcra.lua
                                                       same decisions? does it cost more?
  bench run --script old.lua --script new.lua --rounds 10 --format bench
                                                       is it slower? samples for benchstat`

// version is set by the linker.
var version = ""

func main() {
	os.Exit(run(cli.Interrupts(os.Exit), os.Args[1:], cli.Streams{Stdout: os.Stdout, Stderr: os.Stderr,
		Stdin: &cli.Stdin{From: os.Stdin}}))
}

// run runs the program with the given arguments and streams, and returns the exit code.
func run(ctx context.Context, args []string, s cli.Streams) int {
	return cli.Run(ctx, args, s, newRoot)
}

// app is shared by all commands.
type app struct{ cli.Streams }

func newRoot(s cli.Streams) *cobra.Command {
	a := &app{s}
	root := &cobra.Command{Use: "bench", Short: "Measure what rate limiters' Lua costs on a real server", Long: about,
		Example: examples, Version: cli.Version(version)}
	root.AddCommand(a.run(), a.compare(), a.count(), a.show(), a.plot(),
		a.SchemaCommand("Print the JSON Schema of a document", []string{"result"},
			map[string][]byte{"result": result.Schema}))
	return root
}

// serverFault returns the error for a problem with a server, without the embedded server, which bench cannot use. kinds
// are the values of --redis.
func serverFault(err error, kinds string) error {
	var absent *redis.Unavailable
	if errors.As(err, &absent) {
		return cli.Exit(cli.ExitHarness, errors.New(withoutEmbedded.Replace(err.Error())))
	}
	return cli.ServerFault(err, kinds)
}

// withoutEmbedded removes the embedded server from the advice in messages, because bench refuses it.
var withoutEmbedded = strings.NewReplacer(
	", --redis container (Docker) or --redis embedded do it", " or --redis container (Docker) do it",
	", --redis redis://HOST:PORT or --redis embedded", " or --redis redis://HOST:PORT")

// countingFault returns the error for a comparison whose instructions could not be counted.
func countingFault(err error) error {
	var missing *counting.Missing
	switch {
	case errors.Is(err, message.ErrInterrupted):
		return fmt.Errorf("%w: nothing was compared", message.ErrInterrupted)
	case errors.As(err, &missing):
		return cli.Exit(cli.ExitInconclusive, fmt.Errorf("%w; --without-instructions compares the rest", err))
	}
	return serverFault(err, "process, process=PATH, container or container=IMAGE")
}
