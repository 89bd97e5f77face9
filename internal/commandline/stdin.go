package commandline

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"ratelab/internal/message"
	"ratelab/internal/traffic"
)

// Stdin is a program's standard input. A pipe can be read once, and a log is read for each candidate: so it is kept in
// a private temporary file, which Close deletes.
type Stdin struct {
	From *os.File
	kept *os.File
}

// isStdin reports whether a path means standard input.
func isStdin(path string) bool { return path == "-" || path == "/dev/stdin" }

// keep reads standard input to its end, unless stop is closed before that.
func (s *Stdin) keep(stop <-chan struct{}) (*io.SectionReader, error) {
	if s == nil || s.From == nil {
		return nil, Usage("--trace -: there is no standard input; name a file")
	}
	if term.IsTerminal(int(s.From.Fd())) {
		return nil, Usage("--trace -: standard input is a terminal; pipe a log into it, such as " +
			"zcat access.log.*.gz | simulate limits --trace -")
	}
	temp, err := os.CreateTemp("", "ratelab-stdin-*")
	if err != nil {
		err = fmt.Errorf("--trace -: no place to keep standard input: %w", message.Unreadable(err))
		return nil, Exit(ExitHarness, err)
	}
	s.kept = temp
	os.Remove(temp.Name()) // where an open file may go, no end can leave it behind; elsewhere Close deletes it
	size, err := copied(temp, s.From, stop)
	if err != nil {
		return nil, err
	}
	return io.NewSectionReader(temp, 0, size), nil
}

// copied copies what may wait for a slow writer forever.
func copied(to io.Writer, from io.Reader, stop <-chan struct{}) (int64, error) {
	type outcome struct {
		size int64
		err  error
	}
	done := make(chan outcome, 1)
	go func() {
		size, err := io.Copy(to, from)
		done <- outcome{size, err}
	}()
	select {
	case <-stop:
		return 0, fmt.Errorf("%w: standard input was not read to its end", ErrInterrupted)
	case got := <-done:
		if got.err != nil {
			return 0, Exit(ExitHarness, fmt.Errorf("--trace -: standard input cannot be kept: %w", got.err))
		}
		return got.size, nil
	}
}

// Close deletes what was kept.
func (s *Stdin) Close() error {
	if s == nil || s.kept == nil {
		return nil
	}
	err := s.kept.Close()
	if gone := os.Remove(s.kept.Name()); !errors.Is(gone, os.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}

// reads makes of a trace that names standard input one that has what is in it.
func (s Streams) reads(t traffic.Trace) (traffic.Trace, error) {
	var err error
	all := append([]string{t.File}, t.More...)
	for i, path := range all {
		switch {
		case !isStdin(path):
			continue
		case t.Stdin != nil:
			return t, Usage("--trace: standard input is named twice; want each part of a log once")
		}
		all[i] = traffic.StandardInput
		if t.Stdin, err = s.Stdin.keep(s.Stop); err != nil {
			return t, err
		}
	}
	t.File, t.More = all[0], all[1:]
	return t, nil
}
