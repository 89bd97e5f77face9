package lineup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"ratelab/internal/redisserver"
	"ratelab/internal/replay"
	"ratelab/internal/script"
	"ratelab/internal/virtualtime"
)

// InputError is an invalid script: it does not compile, does what virtual time cannot follow, or failed
// on trial.
type InputError struct{ Err error }

func (e *InputError) Error() string { return e.Err.Error() }
func (e *InputError) Unwrap() error { return e.Err }

// Times are those of a run.
type Times struct {
	Start  time.Time     // where virtual time begins
	Behind time.Duration // how far behind that the server's clock steps at most
	Trial  bool          // the script's first run: see virtualtime.Options

	Prefix string // of the keys; "": the server's

	Company *virtualtime.Company // of the other runners on a server that is not ours; nil: none
}

// Sentinel is the key by which the runner of that label notices that its keys were deleted. No script's key is like it.
func Sentinel(s *redisserver.Server, label string) string { return s.Prefix + "sentinel:" + label }

// Runner prepares a program for virtual time, under the server's prefix. A batch of 0 finds its
// own size. The error is an *InputError for a script that virtual time cannot follow, or the server's.
func Runner(ctx context.Context, s *redisserver.Server, program *script.Program, times Times, batch int,
	clock replay.Clock) (*virtualtime.Runner, error) {
	// Deadlines are placed after the server's own clock, which need not be ours.
	serverNow, err := s.Client.Time(ctx).Result()
	if err != nil {
		return nil, redisserver.Explain(err, s)
	}
	began := clock.Now()
	runner, err := virtualtime.New(
		virtualtime.Server{Client: s.Client, Shared: !s.Own, Embedded: s.Kind == redisserver.KindEmbedded},
		program.InKeyspace(cmp.Or(times.Prefix, s.Prefix)),
		virtualtime.Options{
			Start:     times.Start,
			Behind:    times.Behind,
			Real:      serverNow,
			Elapsed:   func() time.Duration { return clock.Now().Sub(began) },
			Trial:     times.Trial,
			Sentinel:  Sentinel(s, program.Label),
			Company:   times.Company,
			BatchSize: batch,
		})
	var refused *virtualtime.RefusedError
	if errors.As(err, &refused) {
		err = &InputError{fmt.Errorf("%s: %w", program.Label, err)}
	}
	return runner, err
}
