package chart

import (
	"math"
	"strconv"
)

// timeUnit is a unit of time, its name on an axis and in a sentence, the shortest axis that is marked in it,
// and the distances between ticks that read well.
type timeUnit struct {
	us         float64
	name, long string
	fromUS     float64
	steps      []float64
}

var timeUnits = []timeUnit{
	{1, "µs", "microsecond", 0, []float64{1, 2, 5, 10, 20, 50, 100, 200, 500}},
	{1e3, "ms", "millisecond", 1e3, []float64{0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500}},
	{1e6, "s", "second", 1e6, []float64{0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 20, 30, 60}},
	{60e6, "min", "minute", 3 * 60e6, []float64{0.5, 1, 2, 5, 10, 15, 20, 30, 60}},
	{3600e6, "h", "hour", 3 * 3600e6, []float64{0.5, 1, 2, 3, 4, 6, 8, 12, 24}},
	{86400e6, "d", "day", 3 * 86400e6, []float64{0.5, 1, 2, 5, 7, 10, 14, 20, 30, 50, 100, 200}},
}

// timeTicks gives at most limit+1 ticks between two instants, at the smallest step, in the unit that suits the time
// between them, that allows it.
func timeTicks(fromUS, toUS float64, limit int) []Tick {
	unit := timeUnits[0]
	for _, u := range timeUnits {
		if toUS-fromUS >= u.fromUS {
			unit = u
		}
	}
	for _, step := range unit.steps {
		first, last := int(math.Ceil(fromUS/(step*unit.us)-1e-9)), int(toUS/(step*unit.us)+1e-9)
		if last-first <= limit {
			return unit.ticks(step, first, last)
		}
	}
	return nil
}

// ticks are at the multiples of a step, from the first to the last.
func (u timeUnit) ticks(step float64, first, last int) []Tick {
	var ticks []Tick
	for i := first; i <= last; i++ {
		v := step * float64(i)
		label := "0"
		if i != 0 {
			label = strconv.FormatFloat(v, 'g', 10, 64) + " " + u.name
		}
		ticks = append(ticks, Tick{v * u.us, label})
	}
	return ticks
}

// Span writes a duration with three digits in its natural unit: 11.7 ms, 0.5 s, 15 min, 3 s.
func Span(us float64) string {
	unit := naturalUnit(us)
	return strconv.FormatFloat(us/unit.us, 'g', 3, 64) + " " + unit.name
}

// Each writes a duration after per or in the last: second, 3 s, hour.
func Each(us float64) string {
	if unit := naturalUnit(us); us == unit.us {
		return unit.long
	}
	return Span(us)
}

// NaturalUnit is the length, in µs, of the largest unit of time of which us has at least one.
func NaturalUnit(us float64) float64 { return naturalUnit(us).us }

// naturalUnit is the largest unit of which us has at least one.
func naturalUnit(us float64) timeUnit {
	unit := timeUnits[0]
	for _, u := range timeUnits {
		if us >= u.us {
			unit = u
		}
	}
	return unit
}
