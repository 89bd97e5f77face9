package commandline

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// Deliver prints a job's figures to stdout, and then writes its files. Its error is that of Printer.Deliver.
func Deliver(stdout io.Writer, figures, files func() error, outcome error) error {
	p := NewPrinter(stdout)
	p.Print(figures)
	return p.Deliver(files, outcome)
}

// Printer prints figures as they come. A reader who goes away early, as head does, costs no file: what comes after is
// not printed, and the job goes on. Deliver or Stop ends it.
type Printer struct {
	stdout io.Writer
	pipe   chan os.Signal
	failed error
}

// NewPrinter prints to stdout.
func NewPrinter(stdout io.Writer) *Printer {
	p := &Printer{stdout: stdout, pipe: make(chan os.Signal, 1)}
	signal.Notify(p.pipe, syscall.SIGPIPE) // or printing into a broken pipe would end the program
	return p
}

// Print prints figures, unless an earlier one failed.
func (p *Printer) Print(figures func() error) {
	if p.failed == nil {
		p.failed = figures()
	}
}

// Stop ends a printer after a job that has failed.
func (p *Printer) Stop() { signal.Stop(p.pipe) }

// Deliver writes the files, after the figures: a disk without room for the charts costs no figure. Its error is what
// failed of both, with its own exit code, and the outcome of the job; an interrupt, with which a terminal may be gone,
// counts more than what could not be printed.
func (p *Printer) Deliver(files func() error, outcome error) error {
	written, printed := files(), p.failed
	p.Stop()
	if written != nil {
		written = Exit(ExitHarness, written)
	}
	if errors.Is(printed, syscall.EPIPE) && written == nil {
		io.WriteString(p.stdout, "\n") // which ends the program as any is that prints into a broken pipe
	}
	if printed != nil {
		printed = Exit(ExitHarness, fmt.Errorf("standard output: %w", printed))
	}
	if errors.Is(outcome, ErrInterrupted) {
		return errors.Join(written, outcome, printed)
	}
	return errors.Join(written, printed, outcome)
}
