// Package cli is shared by the two programs: flags and their errors, exit codes, output folders, and progress on a
// terminal. It runs no scenarios and does not depend on results. It prints only to the given streams, and never exits.
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

// Streams are the standard streams of a program.
type Streams struct {
	Stdout, Stderr io.Writer
	Stdin          *Stdin // the input for --trace -; nil: none
}

// Run runs the command line args, and returns the exit code. newRoot makes the program's root command. Commands get
// ctx, which ends on an interrupt. Run prints errors to Stderr, each line with the program's name. Commands need not
// check whether printing failed: Run checks it at the end.
func Run(ctx context.Context, args []string, s Streams, newRoot func(Streams) *cobra.Command) int {
	out := &printing{to: s.Stdout}
	s.Stdout = out
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE) // otherwise, writing to a broken pipe would end the program
	defer signal.Stop(pipe)
	defer s.Stdin.Close()
	root := newRoot(s)
	err := s.run(ctx, root, args)
	if printed := out.failed; printed != nil {
		if err == nil && errors.Is(printed, syscall.EPIPE) {
			signal.Stop(pipe)
			io.WriteString(out.to, "\n") // ends the program by SIGPIPE, as usual for a broken pipe
		}
		printed = Exit(ExitHarness, fmt.Errorf("standard output: %w", printed))
		if errors.Is(err, message.ErrInterrupted) { // its terminal may be gone
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
		for _, known := range []string{"help", "version"} { // do not list these in the help
			if f := c.Flags().Lookup(known); f != nil {
				f.Hidden = true
			}
		}
		strict(c, &began)
		switch c.Name() { // commands of cobra, which accept any word
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
	if errors.Is(err, context.Canceled) && !errors.Is(err, message.ErrInterrupted) { // only an interrupt cancels
		err = message.ErrInterrupted
	}
	var stated *exit
	if err != nil && !began && !errors.As(err, &stated) {
		return refused(c, err)
	}
	return err
}

// notice returns a function that reports long waits on Stderr. It prints a line for each wait that users do not expect,
// even with --quiet.
func (s Streams) notice(program string) func(line string) {
	clear := "" // clears a line with a bar
	if isTerminal(fileOf(s.Stderr)) {
		clear = "\r\x1b[K"
	}
	return func(line string) { fmt.Fprintf(s.Stderr, "%s%s: %s\n", clear, program, line) }
}

// complain prints err, each line with the program's name. Text from servers, scripts and files cannot control the
// terminal or flood it, and passwords in URLs are masked.
func complain(w io.Writer, program string, err error) {
	for _, line := range strings.Split(strings.TrimSpace(err.Error()), "\n") {
		if line == "" { // already printed
			continue
		}
		fmt.Fprintf(w, "%s: %s\n", program, message.Shown(login.ReplaceAllStringFunc(line, masked)))
	}
}

// login matches the part of a URL that may contain a password. The example URL in help texts is not masked.
var login = regexp.MustCompile(`://[^\s/@]*:[^\s@]*@`)

func masked(found string) string {
	if found == "://user:password@" {
		return found
	}
	return "://…@"
}

// printing is standard output. If a reader such as head stops early, the job goes on, so that no files are lost. The
// rest of the output is discarded.
type printing struct {
	to     io.Writer
	failed error // the first write error
}

func (p *printing) Write(text []byte) (int, error) {
	if p.failed == nil {
		_, p.failed = p.to.Write(text)
	}
	return len(text), nil
}

// SchemaCommand returns a command that prints a JSON Schema by its name. The first of names is the default.
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

// Version returns the version that the linker set, or otherwise the module's version, as recorded by the Go toolchain.
func Version(linked string) string {
	if info, ok := debug.ReadBuildInfo(); linked == "" && ok && info.Main.Version != "(devel)" {
		linked = info.Main.Version
	}
	return cmp.Or(linked, "devel")
}

// Interrupts returns a context that the first SIGINT, SIGTERM or SIGHUP ends, with the cause message.ErrInterrupted.
// The second signal calls exit immediately. SIGHUP means that a terminal or a session was closed. It stays ignored if
// it was ignored when the program began, as with nohup.
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
