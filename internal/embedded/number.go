package embedded

import (
	"math"
	"strconv"
	"strings"

	"ratelab/internal/luavm"
)

// argument is a number as Redis writes it for a command, and in scores, since 7.2: in the fewest digits that give it
// back, and with an exponent where fpconv_dtoa has one. A whole number up to 2^62 has all its digits.
func argument(x float64) string {
	if whole := luavm.Cut(x); float64(whole) == x && math.Abs(x) <= 1<<62 {
		return strconv.FormatInt(whole, 10)
	}
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return string(luavm.AppendFloat(nil, x, -1))
	}
	text := strconv.FormatFloat(x, 'e', -1, 64)
	digits, after, _ := strings.Cut(text, "e")
	exponent, _ := strconv.Atoi(after)
	count := len(strings.Trim(strings.Replace(digits, ".", "", 1), "-"))
	last := exponent - count + 1
	if last >= 0 && exponent < count+7 || last < 0 && (last > -7 || max(exponent, -exponent) < 4) {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return digits + "e" + after[:1] + strings.TrimLeft(after[1:], "0")
}
