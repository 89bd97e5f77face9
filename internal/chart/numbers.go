package chart

import (
	"math"
	"strconv"
)

// Exact writes n with a comma between thousands.
func Exact(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Short writes a tick's count: 1,000 in full, from ten thousand on with an SI prefix, 10 k, 2.5 M.
func Short(v float64) string {
	if v < 10_000 {
		if v != math.Trunc(v) {
			return strconv.FormatFloat(v, 'g', 3, 64)
		}
		return Exact(int64(v))
	}
	for _, p := range []struct {
		factor float64
		prefix string
	}{{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if v >= p.factor {
			return strconv.FormatFloat(v/p.factor, 'g', 4, 64) + " " + p.prefix
		}
	}
	return Exact(int64(v))
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
