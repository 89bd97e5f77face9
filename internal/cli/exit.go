package cli

import (
	"errors"
	"fmt"
	"strings"

	"ratelab/internal/message"
	"ratelab/internal/redis"
	"ratelab/internal/replay"
	"ratelab/internal/result"
)

// The exit codes. The programs' help lists them.
const (
	ExitOK           = 0
	ExitMissed       = 1   // a missed expectation, results that differ, a regression
	ExitUsage        = 2   // wrong flags or input
	ExitHarness      = 3   // no server, a call that failed, a file that could not be written
	ExitInconclusive = 4   // measured, but without a conclusion
	ExitInterrupted  = 130 // the output is marked partial
)

// exit is an error with an exit code of the program.
type exit struct {
	code int
	error
}

func (e *exit) Unwrap() error { return e.error }

// Exit returns err with an exit code.
func Exit(code int, err error) error { return &exit{code, err} }

// Usage returns an error about a mistake in the arguments or the input.
func Usage(format string, args ...any) error { return Exit(ExitUsage, fmt.Errorf(format, args...)) }

// ExitCode returns the exit code of err: the code given to Exit, or the code for this kind of error.
func ExitCode(err error) int {
	var stated *exit
	var input *replay.InputError
	var spec *redis.BadSpec
	var file *result.BadFile
	switch {
	case err == nil:
		return ExitOK
	case errors.Is(err, message.ErrInterrupted):
		return ExitInterrupted
	case errors.As(err, &stated):
		return stated.code
	case errors.As(err, &input), errors.As(err, &spec), errors.As(err, &file):
		return ExitUsage
	}
	return ExitHarness
}

// ServerFault adds --redis to an error about its value. kinds are the values that the program accepts.
func ServerFault(err error, kinds string) error {
	var bad *redis.BadSpec
	if !errors.As(err, &bad) {
		return err
	}
	return Usage("--redis%s", strings.Replace(strings.TrimPrefix(bad.Error(), "server"), redis.Kinds, kinds, 1))
}
