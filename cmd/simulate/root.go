package main

import (
	"cmp"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"
)

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
	help := &remembering{w: stdout}
	root.SetOut(help)
	root.SetErr(stderr)
	err := root.Execute()
	if err == nil {
		err = help.err
	}
	if err != nil {
		complain(stderr, err)
	}
	return exitCode(err)
}

// remembering keeps the first error of writing, which cobra ignores.
type remembering struct {
	w   io.Writer
	err error
}

func (r *remembering) Write(p []byte) (int, error) {
	n, err := r.w.Write(p)
	r.err = cmp.Or(r.err, err)
	return n, err
}

// app is what the commands share.
type app struct {
	stdout, stderr io.Writer
	stop           <-chan struct{}
}

func newRoot(a *app) *cobra.Command {
	var f flags
	root := &cobra.Command{
		Use:           "simulate [scenario or file …] [flags]",
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
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(a.list(), a.validate(), a.schema(), a.check())
	strictHelp(root)
	plain := root.UsageFunc()
	root.SetUsageFunc(func(c *cobra.Command) error {
		if c != root {
			return plain(c)
		}
		return fprint(c.OutOrStderr(), usageText(root, f.groups))
	})
	return root
}

// noArguments refuses arguments in our own words.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage("%s takes no arguments, got %q", cmd.Name(), args[0])
	}
	return nil
}

func fprint(w io.Writer, text string) error {
	_, err := io.WriteString(w, text)
	return err
}

func fprintln(w io.Writer, text string) error { return fprint(w, text+"\n") }
