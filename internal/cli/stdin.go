package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"ratelab/internal/accesslog"
	"ratelab/internal/message"
)

// Stdin is a program's standard input. A pipe can be read only once, but a log is read several times. So the input is
// saved in a private temporary file, which Close deletes.
type Stdin struct {
	From *os.File
	kept *os.File
}

// headSize is how much of standard input is read before its format is detected. It exceeds the longest allowed line,
// even of gzip.
const headSize = 2 << 20

// keep saves standard input to its end. It fails if ctx ends earlier, or if the beginning is not in the trace's format.
func (s *Stdin) keep(ctx context.Context, trace accesslog.Trace) (*io.SectionReader, error) {
	if s == nil || term.IsTerminal(int(s.From.Fd())) {
		return nil, Usage("--trace -: standard input is not a pipe; want one such as zcat access.log.*.gz | " +
			"simulate limits --trace -")
	}
	temp, err := os.CreateTemp("", "ratelab-stdin-*")
	if err != nil {
		err = fmt.Errorf("--trace -: no place to keep standard input: %w", message.Unreadable(err))
		return nil, Exit(ExitHarness, err)
	}
	s.kept = temp
	os.Remove(temp.Name()) // an open file can be deleted on Unix, so that it never remains; elsewhere Close deletes it
	var size int64
	done := make(chan error, 1)
	go func() {
		var err error
		size, err = s.copy(temp, trace) // may wait for a slow writer forever
		done <- err
	}()
	select {
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: standard input was not read to its end", message.ErrInterrupted)
	case err = <-done:
	}
	if err != nil {
		return nil, err
	}
	return io.NewSectionReader(temp, 0, size), nil
}

// copy copies standard input to a file, and returns its size.
func (s *Stdin) copy(to *os.File, trace accesslog.Trace) (size int64, err error) {
	size, err = io.CopyN(to, s.From, headSize)
	if err == nil {
		trace.Stdin = io.NewSectionReader(to, 0, size)
		if err := trace.Detect(); err != nil {
			return 0, Exit(ExitUsage, err)
		}
		var rest int64
		rest, err = io.Copy(to, s.From)
		size += rest
	}
	if err != nil && err != io.EOF {
		return 0, Exit(ExitHarness, fmt.Errorf("--trace -: standard input cannot be kept: %w", err))
	}
	return size, nil
}

// Close deletes the temporary file.
func (s *Stdin) Close() error {
	if s == nil || s.kept == nil {
		return nil
	}
	return errors.Join(s.kept.Close(), os.RemoveAll(s.kept.Name()))
}
