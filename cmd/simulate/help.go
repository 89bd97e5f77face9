package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ratelab/internal/wording"
)

const about = `Replay traffic against rate limiters' Lua in virtual time, and show what each admits.

Without arguments every built-in scenario meets every algorithm on a Redis inside the process:
nothing to install. The table goes to standard output; charts and the data behind them go to --out.
The same input gives the same bytes on every run and the same decisions on every server.`

const examples = `  simulate                                             everything built in
  simulate extreme-case-1 my-scenario.yaml             a built-in scenario, and a file of yours
  simulate poisson -a gcra,gcra:burst=10,fixed-window  some algorithms, one of them twice
  simulate --limit 100/1m --trace access.log.gz        your own log, a limit for each client
  simulate --script my.lua extreme-case-1              your own script beside the built-in ones
  simulate --redis process --format json               a real redis-server, figures as JSON`

const codes = `Exit codes: 0 ok · 1 an expectation missed, or results that differ · 2 usage or invalid input ·
3 the harness could not run (no server, a call that failed) · 130 interrupted, with what there was
marked partial. (go run turns every code but 0 into 1.)
`

// helpWidth is how wide the help is: it is read in editors and bug reports too, so the terminal is not asked.
const helpWidth = 100

// usageText is the root command's help below its description: commands first, then flags by what they are for.
func usageText(root *cobra.Command, groups []flagGroup) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage:\n  %s\n  %s COMMAND\n\nExamples:\n%s\n\nCommands:\n", root.UseLine(), root.CommandPath(), root.Example)
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			fmt.Fprintf(&b, "  %-12s%s\n", c.Name(), c.Short)
		}
	}
	for _, g := range groups {
		fmt.Fprintf(&b, "\n%s:\n%s", g.title, g.flags.FlagUsagesWrapped(helpWidth))
	}
	fmt.Fprintf(&b, "\nsimulate COMMAND --help says more about a command, simulate --version which build this is.\n\n%s", codes)
	return b.String()
}

// strictHelp lets help and completion refuse words that they do not know; cobra's own exit 0.
func strictHelp(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Args = func(_ *cobra.Command, args []string) error {
				if found, rest, err := root.Find(args); err != nil || len(rest) > 0 || found == nil {
					return usage("help %s: no such command; simulate --help lists them", wording.Bare(strings.Join(args, " ")))
				}
				return nil
			}
		case "completion":
			c.Args = cobra.ArbitraryArgs
			c.RunE = func(c *cobra.Command, args []string) error {
				return usage("completion %q: want one of bash, zsh, fish, powershell", strings.Join(args, " "))
			}
		}
	}
}
