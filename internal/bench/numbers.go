package bench

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"ratelab/internal/benchresult"
	"ratelab/internal/lineup"
	"ratelab/internal/message"
)

// The bounds of what may be asked for: more is a slip of the pen.
const (
	maxRounds      = 1000
	maxConnections = 1000
	maxFill        = 10_000 // as many as fillLimit admits
	minTime        = 10 * time.Millisecond
	maxTime        = time.Hour
)

// withDefaults is a copy of j in which every number is meant.
func (j *Job) withDefaults() *Job {
	d := *j
	d.Rounds = or(d.Rounds, DefaultRounds)
	d.WarmUp = or(d.WarmUp, DefaultWarmUp)
	d.Segment = or(d.Segment, DefaultSegment)
	d.Connections = or(d.Connections, DefaultConnections)
	if d.Sweep == nil {
		d.Sweep = DefaultSweep()
	}
	if d.Fills == nil {
		d.Fills = DefaultFills()
	}
	return &d
}

func or[T int | time.Duration](given, otherwise T) T {
	if given == 0 {
		return otherwise
	}
	return given
}

// checkNumbers refuses what cannot be measured.
func (j *Job) checkNumbers(wrong *lineup.Problems) {
	if len(j.Scenarios) == 0 {
		wrong.Bad(errors.New("no scenario; want at least one"))
	}
	within(wrong, "rounds", j.Rounds, 1, maxRounds)
	within(wrong, "connections", j.Connections, 1, maxConnections)
	within(wrong, "repeats of an invalid measurement", j.RepeatInvalid, 0, maxRounds)
	if j.Wish.For != 0 {
		timeWithin(wrong, "length of the stretch", j.Wish.For)
	}
	timeWithin(wrong, "segment", j.Segment)
	checkWarmUp(wrong, j.WarmUp)
	for _, n := range j.Sweep {
		within(wrong, "connections of the sweep", n, 1, maxConnections)
	}
	for _, n := range j.Fills {
		within(wrong, "requests of a memory fill", int(n), 1, maxFill)
	}
	if !slices.IsSorted(j.Sweep) || len(slices.Compact(slices.Clone(j.Sweep))) != len(j.Sweep) {
		wrong.Bad(fmt.Errorf("connections of the sweep %v: want rising numbers, such as 1,2,4", j.Sweep))
	}
}

func within(wrong *lineup.Problems, what string, n, least, most int) {
	if n < least || n > most {
		wrong.Bad(fmt.Errorf("%s %d: want %d to %d", what, n, least, most))
	}
}

func timeWithin(wrong *lineup.Problems, what string, d time.Duration) {
	if d < minTime || d > maxTime {
		wrong.Bad(fmt.Errorf("%s %v: want %v to %v", what, d, minTime, maxTime))
	}
}

// checkWarmUp takes a negative time for none.
func checkWarmUp(wrong *lineup.Problems, d time.Duration) {
	if d > maxTime {
		wrong.Bad(fmt.Errorf("warm-up %v: want at most %v", d, maxTime))
	}
}

// checkMix refuses a mix that there is not.
func checkMix(wrong *lineup.Problems, mix string) {
	if !slices.Contains(benchresult.Mixes(), mix) {
		wrong.Bad(fmt.Errorf("mix %s: %s", message.Quote(mix), message.OneOf(mix, benchresult.Mixes())))
	}
}
