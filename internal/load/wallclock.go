package load

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/run"
	"ratelab/internal/script"
)

// LongestAlignment is the longest window for whose phase a play waits.
const LongestAlignment = time.Minute

// untilPhase is how long after t the wall clock is as far into a window as a scenario's clock at its start, so that a
// play which begins then finds aligned windows where virtual time has them.
func untilPhase(start, t time.Time, window time.Duration) time.Duration {
	w := window.Microseconds()
	return time.Duration(((start.UnixMicro()-t.UnixMicro())%w+w)%w) * time.Microsecond
}

// Check is an error where the wall clock cannot play the limiter.
func Check(e *run.Limiter) error {
	_, _, err := onTheWallClock(e)
	return err
}

// clockWord is what a script says that goes by the server's clock.
var clockWord = regexp.MustCompile(`(?i)["'](TIME|P?EXPIREAT|EXAT|PXAT)["']`)

// onTheWallClock is the limiter as it is played, and whether the client's clock is set for it. Windows that lie where
// the clock puts them, and are too long to wait for, are found by setting the client's clock, and the script goes by
// that.
func onTheWallClock(e *run.Limiter) (played *run.Limiter, shifts bool, err error) {
	if !e.Aligned || e.Policy.Window <= LongestAlignment {
		return e, false, nil
	}
	if e.File == "" {
		return onClientTime(e), true, nil
	}
	if word := clockWord.FindStringSubmatch(e.Program.Source); word != nil {
		return nil, false, fmt.Errorf("%s: the script uses %s under a window of %s, and the wall clock is "+
			"waited for no longer than %s: take a window of at most that, or give the script the time as an "+
			"argument, {now_us}", e.Label, strings.ToUpper(word[1]), limit.FormatDuration(e.Policy.Window),
			limit.FormatDuration(LongestAlignment))
	}
	call := e.Program.Decide
	tellsTime := func(t script.Template) bool { return !t.Same(script.Vars{}, script.Vars{NowUS: 1}) }
	return e, slices.ContainsFunc(slices.Concat(call.Keys, call.Args), tellsTime), nil
}

// onClientTime is a built-in algorithm that goes by the clock of the client that asks, to the microsecond.
func onClientTime(e *run.Limiter) *run.Limiter {
	if e.ClientTime {
		return e
	}
	mine, program := *e, *e.Program
	program.Decide.Args = slices.Clone(program.Decide.Args)
	program.Decide.Args[0] = script.NowUS(1)
	mine.Program, mine.ClientTime, mine.TickUS = &program, true, 1
	return &mine
}
