// Command bench measures on a real server and on the wall clock how fast rate limiters' Lua is, and judges whether a
// change made it dearer. See bench --help.
package main

import (
	"os"

	"github.com/spf13/cobra"

	"ratelab/internal/cli"
	"ratelab/internal/result"
)

const about = `Measure how fast rate limiters are on a real Redis, and check whether a changed script costs more:
response times and server time on your traffic, and counted instructions, commands and bytes.

Exit codes: 0 ok, 1 a regression, 2 usage or invalid input, 3 the harness could not run, 4
inconclusive: the generator did not keep up or the server stood still; 130 interrupted.`

const examples = `  bench run --quick                                    every limiter, in a minute
  bench run my-scenario.yaml --script my.lua           your own traffic, your own script
  bench compare --base old/gcra.lua --head lua/gcra.lua
                                                       same decisions? does it cost more?
  bench run --script old.lua --script new.lua --rounds 10 --format bench
                                                       is it slower? samples for benchstat`

// version is set by the linker.
var version = ""

func main() {
	os.Exit(run(os.Args[1:], cli.Streams{Stdout: os.Stdout, Stderr: os.Stderr,
		Stdin: &cli.Stdin{From: os.Stdin}, Stop: cli.Interrupts(os.Exit)}))
}

// run is the program: arguments and streams in, exit code out.
func run(args []string, s cli.Streams) int { return cli.Run(args, s, newRoot) }

// app is what the commands share.
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
