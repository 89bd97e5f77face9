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

// The exit codes, as the programs' help states them.
const (
	ExitOK           = 0
	ExitMissed       = 1   // an expectation missed, results that differ, a regression
	ExitUsage        = 2   // flags or input that cannot be meant
	ExitHarness      = 3   // no server, a call that failed, a file that could not be written
	ExitInconclusive = 4   // measured, but nothing can be concluded from it
	ExitInterrupted  = 130 // what there was is marked partial
)

// ErrInterrupted is what a job that was cut short ends with.
var ErrInterrupted = Exit(ExitInterrupted, errors.New("interrupted"))

// exit is an error that says with which code the program ends.
type exit struct {
	code int
	error
}

func (e *exit) Unwrap() error { return e.error }

// Exit is err, with which the program ends with that code.
func Exit(code int, err error) error { return &exit{code, err} }

// Usage is a mistake in how the program was called, or in what it was given.
func Usage(format string, args ...any) error { return Exit(ExitUsage, fmt.Errorf(format, args...)) }

// ExitCode is the code of err: the one it states, or what its kind means.
func ExitCode(err error) int {
	var stated *exit
	var input *replay.InputError
	var spec *redis.BadSpec
	var file *result.BadFile
	var interrupted *message.Interrupted
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &interrupted):
		return ExitInterrupted
	case errors.As(err, &stated):
		return stated.code
	case errors.As(err, &input), errors.As(err, &spec), errors.As(err, &file):
		return ExitUsage
	}
	return ExitHarness
}

// ServerFault names --redis in what is wrong with its value; kinds are those that the program takes.
func ServerFault(err error, kinds string) error {
	var bad *redis.BadSpec
	if !errors.As(err, &bad) {
		return err
	}
	return Usage("--redis%s", strings.Replace(strings.TrimPrefix(bad.Error(), "server"), redis.Kinds, kinds, 1))
}
