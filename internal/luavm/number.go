package luavm

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Cut drops the fraction of a number, as an amd64 processor does. For numbers that are too large, Go's result depends
// on the processor.
func Cut(n float64) int64 {
	if n >= -1<<63 && n < 1<<63 {
		return int64(n)
	}
	return math.MinInt64
}

// unsigned drops the fraction of a number, as a cast to unsigned long does in C on amd64.
func unsigned(n float64) uint64 {
	if n >= 1<<63 {
		return uint64(Cut(n-1<<63)) ^ 1<<63
	}
	return uint64(Cut(n))
}

// The NaNs of an amd64 processor and of C's strtod.
var (
	positiveNaN = math.Float64frombits(0x7FF8000000000000)
	negativeNaN = math.Float64frombits(0xFFF8000000000000)
)

// computed returns the result n of an operation on a and b. If n is NaN, it returns the operand that is NaN, or else a
// negative NaN, so that the sign does not depend on the processor.
func computed(n, a, b float64) float64 {
	switch {
	case n == n:
		return n
	case a != a:
		return a
	case b != b:
		return b
	}
	return negativeNaN
}

// modulo is Lua's % as Lua defines it. It differs from math.Mod in the last bits, and for infinities.
func modulo(a, b float64) float64 { return a - float64(math.Floor(a/b)*b) }

// inexact ends a run that needs a function whose last bit depends on the C library.
func inexact(name string) {
	Abort(&CannotError{"of " + name + ", whose last bit depends on the C library"})
}

// power is C's pow. The result is exact for squares, and for integers whose power can be represented. exact is false
// for other operands.
func power(a, b float64) (n float64, exact bool) {
	n = math.Pow(a, b)
	switch {
	case n != n, math.IsInf(a, 0), math.IsInf(b, 0), a == 0, a == 1, a == -1 && math.Trunc(b) == b, b == 0, b == 1:
		return n, true
	case b == 2:
		return a * a, true
	case math.Trunc(a) != a || math.Trunc(b) != b:
		return n, false
	}
	if half, exponent := math.Frexp(a); half == 0.5 {
		return math.Ldexp(1, int(float64(exponent-1)*max(-1e6, min(b, 1e6)))), true
	}
	if math.Abs(a) > 1<<53 || math.Abs(b) > 340 {
		return n, false
	}
	n, exact = 1, true
	for range int(math.Abs(b)) {
		product := n * a
		exact = exact && math.FMA(n, a, -product) == 0
		n = product
	}
	if b < 0 {
		n = 1 / n
	}
	return n, exact
}

// AsNumber returns the value of a number, or of a string that contains a number.
func AsNumber(v Value) (float64, bool) {
	if v.isNumber() {
		return v.n, true
	}
	if v.isString() {
		return ParseNumber(v.o.text)
	}
	return 0, false
}

// nan matches a lower-case text that strtod reads as NaN.
var nan = regexp.MustCompile(`^nan(\([0-9a-z_]*\))?$`)

// ParseNumber parses a number as luaO_str2d of C does. Surrounding blanks are allowed. A zero byte ends the text.
func ParseNumber(text string) (float64, bool) {
	whole, plain := 0, len(text) > 0 && len(text) <= 15
	for i := 0; i < len(text) && plain; i++ {
		plain = '0' <= text[i] && text[i] <= '9'
		whole = 10*whole + int(text[i]-'0')
	}
	if plain {
		return float64(whole), true
	}
	text, _, _ = strings.Cut(text, "\x00")
	text = strings.Trim(text, blanks)
	digits := strings.ToLower(strings.TrimLeft(text, "+-"))
	switch {
	case len(text)-len(digits) > 1:
		return 0, false
	case strings.HasPrefix(digits, "nan") && nan.MatchString(digits):
		if text[0] == '-' {
			return negativeNaN, true
		}
		return positiveNaN, true
	case strings.Contains(text, "_"):
		return 0, false
	case strings.HasPrefix(digits, "0x") && !strings.Contains(digits, "p"):
		text += "p0" // Go requires an exponent in a hexadecimal number
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(n, 0) {
		return 0, false
	}
	return n, true
}

const blanks = " \t\n\v\f\r"

// parseBase parses an integer as C's strtoul does. Surrounding blanks are allowed. A negative number is added to 2^64.
// A number that is too large becomes the largest one.
func parseBase(text string, base int) (float64, bool) {
	text, _, _ = strings.Cut(text, "\x00")
	text = strings.TrimLeft(text, blanks)
	digits := strings.TrimPrefix(text, "-")
	negative := len(digits) < len(text)
	if !negative {
		digits = strings.TrimPrefix(digits, "+")
	}
	digits = strings.ToLower(strings.TrimRight(digits, blanks))
	if base == 16 && len(digits) > 2 {
		digits = strings.TrimPrefix(digits, "0x")
	}
	if digits == "" || strings.Trim(digits, "0123456789abcdefghijklmnopqrstuvwxyz"[:base]) != "" {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, base, 64)
	if negative && err == nil {
		n = -n
	}
	return float64(n), true
}

// AppendNumber appends a number as Lua prints it: with 14 significant digits.
func AppendNumber(b []byte, n float64) []byte {
	if n > -1e14 && n < 1e14 {
		if whole := int64(n); float64(whole) == n && (whole != 0 || !math.Signbit(n)) {
			return strconv.AppendInt(b, whole, 10)
		}
	}
	return AppendFloat(b, n, 14)
}

// AppendFloat appends a number as C's printf does with %g.
func AppendFloat(b []byte, n float64, digits int) []byte {
	if math.Signbit(n) {
		b, n = append(b, '-'), -n
	}
	switch {
	case n != n:
		return append(b, "nan"...)
	case math.IsInf(n, 0):
		return append(b, "inf"...)
	}
	return strconv.AppendFloat(b, n, 'g', digits, 64)
}

// TextOf returns the text of a string or of a number.
func TextOf(v Value) (string, bool) {
	if v.isNumber() {
		return string(AppendNumber(nil, v.n)), true
	}
	return v.Text()
}
