package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"ratelab/internal/redisserver"
	"ratelab/internal/simulate"
)

// The exit codes, as the help states them.
const (
	exitOK          = 0
	exitMissed      = 1   // an expectation missed, or the committed results differ
	exitUsage       = 2   // flags or input that cannot be meant
	exitHarness     = 3   // no server, a call that failed, a file that could not be written
	exitInterrupted = 130 // what there was is marked partial
)

// errDiffers is the verdict of check; errInterrupted that of a run cut short.
var (
	errDiffers     = errors.New("the results differ")
	errInterrupted = errors.New("interrupted")
)

// usageError is a mistake in how the program was called.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usage(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// exitCode tells err's kind.
func exitCode(err error) int {
	var call usageError
	var input *simulate.InputError
	var spec *redisserver.BadSpec
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	case errors.Is(err, simulate.ErrExpectation), errors.Is(err, errDiffers):
		return exitMissed
	case errors.As(err, &call), errors.As(err, &input), errors.As(err, &spec):
		return exitUsage
	}
	return exitHarness
}

// complain prints err, each of its lines with the program's name.
func complain(w io.Writer, err error) {
	for _, line := range strings.Split(strings.TrimSpace(err.Error()), "\n") {
		fmt.Fprintf(w, "simulate: %s\n", line)
	}
}
