// Package cli is what the two programs share: flags and their errors, exit codes, output folders, and progress on a
// terminal. It runs no scenario and knows no result. It prints only to the streams that it is given, and never exits.
package cli

import (
	"cmp"
	"context"
	"errors"
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
)

// Streams are where a program reads and writes.
type Streams struct {
	Stdout, Stderr io.Writer
	Stdin          *Stdin // what --trace - reads; nil: nothing
}

// Run runs the command line args, and returns the exit code; newRoot makes the program around its streams. Commands get
// ctx, which an interrupt ends. What fails is on Stderr then, each line with the program's name. Nobody has to look
// whether printing failed: that comes last.
func Run(ctx context.Context, args []string, s Streams, newRoot func(Streams) *cobra.Command) int {
	out := &printing{to: s.Stdout}
	s.Stdout = out
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE) // or printing into a broken pipe would end the program
	defer signal.Stop(pipe)
	defer s.Stdin.Close()
	root := newRoot(s)
	err := s.run(ctx, root, args)
	if printed := out.failed; printed != nil {
		if err == nil && errors.Is(printed, syscall.EPIPE) {
			signal.Stop(pipe)
			io.WriteString(out.to, "\n") // which ends the program as any is that prints into a broken pipe
		}
		printed = Exit(ExitHarness, fmt.Errorf("standard output: %w", printed))
		if errors.Is(err, message.ErrInterrupted) { // with which a terminal may be gone
			err = errors.Join(err, printed)
		} else {
			err = errors.Join(printed, err)
		}
	}
	if err != nil {
		complain(s.Stderr, root.Name(), err)
	}
	return ExitCode(err)
}

func (s Streams) run(ctx context.Context, root *cobra.Command, args []string) error {
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		if err := removed(root.Name(), args[0]); err != nil {
			return err
		}
	}
	root.SetArgs(args)
	root.SetOut(s.Stdout)
	root.SetErr(s.Stderr)
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	began := false
	for _, c := range append(root.Commands(), root) {
		c.Flags().SortFlags = false
		c.InitDefaultHelpFlag()
		c.InitDefaultVersionFlag()
		for _, known := range []string{"help", "version"} { // to whoever sees the help
			if f := c.Flags().Lookup(known); f != nil {
				f.Hidden = true
			}
		}
		strict(c, &began)
		switch c.Name() { // cobra's own take any word
		case "help":
			c.Args = knownCommand
		case "completion":
			c.RunE = func(*cobra.Command, []string) error {
				return Usage("completion: want one of bash, zsh, fish, powershell")
			}
		}
	}
	say := s.notice(root.Name())
	ended, answered := make(chan struct{}), make(chan struct{})
	defer func() {
		close(ended)
		<-answered
	}()
	go func() {
		defer close(answered)
		select {
		case <-ctx.Done():
			say("interrupted; finishing. Press Ctrl-C again to stop at once.")
		case <-ended:
		}
	}()
	c, err := root.ExecuteContextC(message.WithNotice(ctx, say))
	if errors.Is(err, context.Canceled) && !errors.Is(err, message.ErrInterrupted) { // nothing else cancels
		err = message.ErrInterrupted
	}
	var stated *exit
	if err != nil && !began && !errors.As(err, &stated) {
		return refused(c, err)
	}
	return err
}

// notice has long waits told on Stderr, also where the rest is quiet: a line a wait that nobody expects.
func (s Streams) notice(program string) func(line string) {
	clear := "" // a bar that stands on the line
	if isTerminal(fileOf(s.Stderr)) {
		clear = "\r\x1b[K"
	}
	return func(line string) { fmt.Fprintf(s.Stderr, "%s%s: %s\n", clear, program, line) }
}

// complain prints err, each of its lines with the program's name. Whatever a server, a script or a file has put into
// it, it can neither steer a terminal nor flood it, and no URL in it shows who logs in.
func complain(w io.Writer, program string, err error) {
	for _, line := range strings.Split(strings.TrimSpace(err.Error()), "\n") {
		if line == "" { // it has been said
			continue
		}
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

// printing is standard output. A reader who goes away early, as head does, costs no file: what comes after is not
// printed, and the job goes on.
type printing struct {
	to     io.Writer
	failed error // the first that did
}

func (p *printing) Write(text []byte) (int, error) {
	if p.failed == nil {
		_, p.failed = p.to.Write(text)
	}
	return len(text), nil
}

// SchemaCommand prints one of some JSON Schemas by its name, the first of names unless told otherwise.
func (s Streams) SchemaCommand(short string, names []string, schemas map[string][]byte) *cobra.Command {
	return &cobra.Command{
		Use:       "schema [NAME]",
		Short:     short,
		Long:      short + ". NAME is " + message.OneOf("", names)[len("want "):] + ".",
		ValidArgs: names,
		Args:      cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		RunE: func(_ *cobra.Command, args []string) error {
			_, err := s.Stdout.Write(schemas[append(args, names[0])[0]])
			return err
		},
	}
}

// Version is the one that the linker set; otherwise the module's own, as the Go toolchain recorded it.
func Version(linked string) string {
	if info, ok := debug.ReadBuildInfo(); linked == "" && ok && info.Main.Version != "(devel)" {
		linked = info.Main.Version
	}
	return cmp.Or(linked, "devel")
}

// Interrupts returns a context that the first SIGINT, SIGTERM or SIGHUP ends, with the cause message.ErrInterrupted.
// The second signal calls exit at once. A SIGHUP means that a terminal or a session was closed. It stays ignored if it
// was ignored when the program began: nohup asks for that.
func Interrupts(exit func(code int)) context.Context {
	ctx, interrupt := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		<-signals
		interrupt(message.ErrInterrupted)
		<-signals
		exit(ExitInterrupted)
	}()
	return ctx
}
