package main

import (
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

const about = `Replay traffic against rate limiters' Lua in virtual time, and show what each admits.

Without arguments every built-in scenario meets every algorithm on a Redis inside the process: nothing to
install. The table goes to standard output; charts and the data behind them go to --out. The same input gives
the same bytes on every run and the same decisions on every server.`

const examples = `  simulate                                             everything built in
  simulate extreme-case-1 my-scenario.yaml             a built-in scenario, and a file of yours
  simulate poisson -a gcra,gcra:burst=10,fixed-window  some algorithms, one of them twice
  simulate --limit 100/1m --trace access.log.gz        your own log, a limit for each client
  simulate --script my.lua extreme-case-1              your own script beside the built-in ones
  simulate --redis process --format json               a real redis-server from PATH, figures as JSON`

const codes = `
Exit codes: 0 ok · 1 an expectation missed, or results that differ · 2 usage or invalid input · 3 the harness
could not run (no server, a call that failed) · 130 interrupted, with what there was marked partial.
(go run turns every code but 0 into 1.)
`

// version is set by the linker; otherwise the module's own, as the Go toolchain recorded it.
var version = ""

func ownVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}

// run is the program: arguments and writers in, exit code out. Closing stop ends it early.
func run(args []string, stdout, stderr io.Writer, stop <-chan struct{}) int {
	root := newRoot(&app{stdout: stdout, stderr: stderr, stop: stop})
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.Execute()
	if err != nil && exitCode(err) != exitInterrupted {
		complain(stderr, err)
	}
	return exitCode(err)
}

// app is what the commands share.
type app struct {
	stdout, stderr io.Writer
	stop           <-chan struct{}
}

func newRoot(a *app) *cobra.Command {
	var f flags
	root := &cobra.Command{
		Use:           "simulate [scenario or file …]",
		Short:         "Replay traffic against rate limiters' Lua in virtual time",
		Long:          about,
		Example:       examples,
		Version:       ownVersion(),
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.simulate(cmd.Context(), &f, args)
		},
		ValidArgsFunction: completeScenarios,
	}
	f.register(root)
	root.SetVersionTemplate("simulate {{.Version}}\n")
	root.SetUsageTemplate(root.UsageTemplate() + codes)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return usage("%s; simulate --help lists the flags", strings.ReplaceAll(err.Error(), "\n", " "))
	})
	root.AddCommand(a.list(), a.validate(), a.schema(), a.check())
	return root
}

// noArguments refuses arguments in our own words.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage("%s takes no arguments, got %q", cmd.CommandPath(), args[0])
	}
	return nil
}

func fprintln(w io.Writer, text string) error {
	_, err := fmt.Fprintln(w, text)
	return err
}
