package chart

import "strconv"

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

// timeTicks gives at most limit+1 ticks from 0 to spanUS, at the smallest step of the axis's unit that allows it.
func timeTicks(spanUS float64, limit int) []Tick {
	unit := timeUnits[0]
	for _, u := range timeUnits {
		if spanUS >= u.fromUS {
			unit = u
		}
	}
	ticks := []Tick{{0, "0"}}
	for _, step := range unit.steps {
		n := int(spanUS/(step*unit.us) + 1e-9)
		if n > limit {
			continue
		}
		for i := 1; i <= n; i++ {
			v := step * float64(i)
			ticks = append(ticks, Tick{v * unit.us, strconv.FormatFloat(v, 'g', 4, 64) + " " + unit.name})
		}
		break
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
