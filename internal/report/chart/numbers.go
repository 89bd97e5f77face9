package chart

import (
	"math"
	"strconv"
)

// exact writes n with a comma between thousands.
func exact(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// short writes a tick's count: 1,000 in full, from ten thousand on with an SI prefix, 10 k, 2.5 M.
func short(v float64) string {
	if v < 10_000 {
		if v != math.Trunc(v) {
			return strconv.FormatFloat(v, 'g', 3, 64)
		}
		return exact(int64(v))
	}
	for _, p := range []struct {
		factor float64
		prefix string
	}{{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if v >= p.factor {
			return strconv.FormatFloat(v/p.factor, 'g', 4, 64) + " " + p.prefix
		}
	}
	return exact(int64(v))
}

// countTicks gives 0 and the multiples of 1, 2 or 5 times a power of ten up to top, most of them but no more
// than about limit. Counts are whole, so no step is below 1.
func countTicks(top float64, limit int) []float64 {
	step := math.Pow(10, math.Floor(math.Log10(math.Max(top, 1))))
	for step/10 >= 1 && top/(step/10) < float64(limit) {
		step /= 10
	}
	for _, factor := range []float64{0.1, 0.2, 0.5, 1, 2, 5, 10} {
		if s := step * factor; s >= 1 && top/s <= float64(limit) {
			step = s
			break
		}
	}
	var ticks []float64
	for i := 0; float64(i)*step <= top; i++ {
		ticks = append(ticks, float64(i)*step)
	}
	return ticks
}

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

// timeTick is a moment on the time axis and what stands below it.
type timeTick struct {
	us    float64
	label string
}

// timeTicks gives at most limit+1 ticks from 0 to spanUS, at the smallest step of the axis's unit that allows it.
func timeTicks(spanUS float64, limit int) []timeTick {
	unit := timeUnits[0]
	for _, u := range timeUnits {
		if spanUS >= u.fromUS {
			unit = u
		}
	}
	ticks := []timeTick{{0, "0"}}
	for _, step := range unit.steps {
		n := int(spanUS/(step*unit.us) + 1e-9)
		if n > limit {
			continue
		}
		for i := 1; i <= n; i++ {
			v := step * float64(i)
			ticks = append(ticks, timeTick{v * unit.us, strconv.FormatFloat(v, 'g', 4, 64) + " " + unit.name})
		}
		break
	}
	return ticks
}

// span writes a duration with three digits in its natural unit: 11.7 ms, 0.5 s, 15 min, 3 s.
func span(us float64) string {
	unit := naturalUnit(us)
	return strconv.FormatFloat(us/unit.us, 'g', 3, 64) + " " + unit.name
}

// each writes a duration after per or in the last: second, 3 s, hour.
func each(us float64) string {
	if unit := naturalUnit(us); us == unit.us {
		return unit.long
	}
	return span(us)
}

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
