package commandline

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// Deliver prints a job's figures to stdout, and then writes its files: a disk without room for the charts costs no
// figure, and a reader who goes away early, as head does, no file. Its error is what failed of that, with its own exit
// code, and the outcome of the job; an interrupt, with which a terminal may be gone, counts more than what could not be
// printed.
func Deliver(stdout io.Writer, figures, files func() error, outcome error) error {
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE) // or printing into a broken pipe would end the program
	printed := figures()
	written := files()
	signal.Stop(pipe)
	if written != nil {
		written = Exit(ExitHarness, written)
	}
	if errors.Is(printed, syscall.EPIPE) && written == nil {
		io.WriteString(stdout, "\n") // which ends the program as any is that prints into a broken pipe
	}
	if printed != nil {
		printed = Exit(ExitHarness, fmt.Errorf("standard output: %w", printed))
	}
	if errors.Is(outcome, ErrInterrupted) {
		return errors.Join(written, outcome, printed)
	}
	return errors.Join(written, printed, outcome)
}
