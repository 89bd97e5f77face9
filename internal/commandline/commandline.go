// Package commandline is what the programs of this project share in how they are called: flags and their refusals,
// exit codes, help, folders for output, progress on a terminal. It runs no job and knows no result; it prints only
// to what it is given, and never exits.
package commandline

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"ratelab/internal/message"
	"ratelab/internal/waiting"
)

// Streams are where a program writes and what ends it early.
type Streams struct {
	Stdout, Stderr io.Writer
	Stdin          *Stdin          // what --trace - reads; nil: nothing
	Stop           <-chan struct{} // closed by the first interrupt; nil where nobody interrupts
}

// Execute runs the command line args and returns the exit code. What fails is on Stderr then, each line with the
// program's name; a help that could not be written fails too, which cobra ignores.
func Execute(root *cobra.Command, args []string, s Streams) int {
	root.SetArgs(args)
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	help := &remembering{w: s.Stdout}
	root.SetOut(help)
	root.SetErr(s.Stderr)
	defer s.Stdin.Close()
	watch := s.watch(root.Name())
	ended := make(chan struct{})
	go func() {
		select {
		case <-s.Stop:
			watch.Say("interrupted: finishing what is under way; once more ends it at once")
		case <-ended:
		}
	}()
	err := root.ExecuteContext(waiting.With(context.Background(), watch))
	close(ended)
	if err == nil {
		err = help.err
	}
	if err != nil {
		Complain(s.Stderr, root.Name(), err)
	}
	return ExitCode(err)
}

// watch has long waits told on Stderr, also where the rest is quiet: a line a wait that nobody expects.
func (s Streams) watch(program string) waiting.Watch {
	clear := "" // a bar that stands on the line
	if IsTerminal(s.Stderr) {
		clear = "\r\x1b[K"
	}
	return waiting.Watch{Stop: s.Stop,
		Say: func(line string) { fmt.Fprintf(s.Stderr, "%s%s: %s\n", clear, program, line) }}
}

// Notices prints what the user ought to know while a job lasts, each line with the program's name; nil where quiet.
func (s Streams) Notices(program string, quiet bool) func(line string) {
	if quiet {
		return nil
	}
	return func(line string) { fmt.Fprintf(s.Stderr, "%s: %s\n", program, line) }
}

// Complain prints err, each of its lines with the program's name. Whatever a server, a script or a file has put into
// it, it can neither steer a terminal nor flood it, and no URL in it shows who logs in.
func Complain(w io.Writer, program string, err error) {
	for _, line := range strings.Split(strings.TrimSpace(err.Error()), "\n") {
		fmt.Fprintf(w, "%s: %s\n", program, message.Shown(login.ReplaceAllStringFunc(line, masked)))
	}
}

// login is the part of a URL in which a password may be, but for the one that says how to write such a URL.
var login = regexp.MustCompile(`://[^\s/@]*:[^\s@]*@`)

func masked(found string) string {
	if found == "://user:password@" {
		return found
	}
	return "://…@"
}

// remembering keeps the first error of writing.
type remembering struct {
	w   io.Writer
	err error
}

func (r *remembering) Write(p []byte) (int, error) {
	n, err := r.w.Write(p)
	r.err = cmp.Or(r.err, err)
	return n, err
}

// Version is the one that the linker set; otherwise the module's own, as the Go toolchain recorded it.
func Version(linked string) string {
	if linked != "" {
		return linked
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}

// Interrupts returns a channel that the first SIGINT, SIGTERM or SIGHUP closes; the second calls exit at once. A
// SIGHUP, which is a terminal or a session that was closed, stays ignored where it was when the program began: nohup
// asks for that.
func Interrupts(exit func(code int)) <-chan struct{} {
	stop := make(chan struct{})
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		<-signals
		close(stop)
		<-signals
		exit(ExitInterrupted)
	}()
	return stop
}

// Print writes text.
func Print(w io.Writer, text string) error {
	_, err := io.WriteString(w, text)
	return err
}

// Println writes text and a newline.
func Println(w io.Writer, text string) error { return Print(w, text+"\n") }
