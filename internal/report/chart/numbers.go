package chart

import (
	"math"
	"strconv"
	"strings"
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

// timeUnit is a unit of time and the distances between ticks that read well in it.
type timeUnit struct {
	us    float64
	name  string
	steps []float64
}

var timeUnits = []timeUnit{
	{1, "µs", []float64{1, 2, 5, 10, 20, 50, 100, 200, 500}},
	{1e3, "ms", []float64{1, 2, 5, 10, 20, 50, 100, 200, 500}},
	{1e6, "s", []float64{1, 2, 5, 10, 15, 20, 30}},
	{60e6, "min", []float64{1, 2, 5, 10, 15, 20, 30}},
	{3600e6, "h", []float64{1, 2, 3, 4, 6, 8, 12}},
	{86400e6, "d", []float64{1, 2, 5, 7, 10, 14, 20, 30, 50, 100, 200, 500}},
}

// timeTick is a moment on the time axis and what stands below it.
type timeTick struct {
	us    float64
	label string
}

// timeTicks gives at most limit+1 ticks from 0 to span, at the smallest of the steps above that allows it.
func timeTicks(spanUS float64, limit int) []timeTick {
	for _, unit := range timeUnits {
		for _, step := range unit.steps {
			if spanUS/(step*unit.us) > float64(limit) {
				continue
			}
			ticks := []timeTick{{0, "0"}}
			for v := step; v*unit.us <= spanUS*(1+1e-9); v += step {
				ticks = append(ticks, timeTick{v * unit.us, exact(int64(v)) + " " + unit.name})
			}
			return ticks
		}
	}
	return []timeTick{{0, "0"}}
}

// span writes a duration with three digits in its natural unit: 11.7 ms, 0.5 s, 15 min, 3 s.
func span(us float64) string {
	unit := timeUnits[0]
	for _, u := range timeUnits {
		if us >= u.us {
			unit = u
		}
	}
	return strings.TrimSuffix(strconv.FormatFloat(us/unit.us, 'g', 3, 64), ".0") + " " + unit.name
}
