package cli

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"ratelab/internal/message"
)

// Stdin is a program's standard input. A pipe can be read once, and a log is read for each candidate: so it is kept in
// a private temporary file, which Close deletes.
type Stdin struct {
	From *os.File
	kept *os.File
}

// keep reads standard input to its end, unless stop is closed before that.
func (s *Stdin) keep(stop <-chan struct{}) (*io.SectionReader, error) {
	if s == nil || term.IsTerminal(int(s.From.Fd())) {
		return nil, Usage("--trace -: standard input is no pipe; want one such as zcat access.log.*.gz | " +
			"simulate limits --trace -")
	}
	temp, err := os.CreateTemp("", "ratelab-stdin-*")
	if err != nil {
		err = fmt.Errorf("--trace -: no place to keep standard input: %w", message.Unreadable(err))
		return nil, Exit(ExitHarness, err)
	}
	s.kept = temp
	os.Remove(temp.Name()) // where an open file may go, no end can leave it behind; elsewhere Close deletes it
	var size int64
	done := make(chan error, 1)
	go func() {
		var err error
		size, err = io.Copy(temp, s.From) // which may wait for a slow writer forever
		done <- err
	}()
	select {
	case <-stop:
		return nil, fmt.Errorf("%w: standard input was not read to its end", ErrInterrupted)
	case err = <-done:
	}
	if err != nil {
		return nil, Exit(ExitHarness, fmt.Errorf("--trace -: standard input cannot be kept: %w", err))
	}
	return io.NewSectionReader(temp, 0, size), nil
}

// Close deletes what was kept.
func (s *Stdin) Close() error {
	if s == nil || s.kept == nil {
		return nil
	}
	return errors.Join(s.kept.Close(), os.RemoveAll(s.kept.Name()))
}
