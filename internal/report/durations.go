package report

import (
	"math"
	"strconv"

	"ratelab/internal/message"
)

// timeUnit is a unit of time: its name beside a number, and alone.
type timeUnit struct {
	us         float64
	name, long string
}

var timeUnits = []timeUnit{{1, "µs", "microsecond"}, {1e3, "ms", "millisecond"}, {1e6, "s", "second"},
	{60e6, "min", "minute"}, {3600e6, "h", "hour"}, {86400e6, "d", "day"}}

// unitOf is the largest unit of which us has at least one.
func unitOf(us float64) timeUnit {
	found := timeUnits[0]
	for _, u := range timeUnits {
		if us >= u.us {
			found = u
		}
	}
	return found
}

// NaturalUnit is the length, in µs, of the largest unit of time of which us has at least one.
func NaturalUnit(us float64) float64 { return unitOf(us).us }

// Natural writes a duration with three digits in its natural unit: 11.7 ms, 0.5 s, 15 min, 3 s.
func Natural(us float64) string {
	unit := unitOf(us)
	return strconv.FormatFloat(us/unit.us, 'g', 3, 64) + " " + unit.name
}

// Each writes a duration after per or in the last: second, 3 s, hour.
func Each(us int64) string {
	if unit := unitOf(float64(us)); float64(us) == unit.us {
		return unit.long
	}
	return Natural(float64(us))
}

// Short writes a count for which there is little room: 1,000 in full, from ten thousand on with an SI prefix, 10 k.
func Short(v float64) string {
	if v < 10_000 && v != math.Trunc(v) {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	if v < 10_000 {
		return message.Grouped(int64(v))
	}
	prefixes := []string{"", " k", " M", " G", " T", " P"}
	i := min(int(math.Log10(v)/3+1e-9), len(prefixes)-1)
	return strconv.FormatFloat(v/math.Pow(1000, float64(i)), 'g', 4, 64) + prefixes[i]
}
