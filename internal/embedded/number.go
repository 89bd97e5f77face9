package embedded

import (
	"math"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// modulo is Lua's %, by its definition: it differs from the exact remainder in the last bits, and for infinities.
func modulo(a, b float64) float64 { return a - float64(math.Floor(a/b)*b) }

// operations are those that Lua does on texts that are numbers.
var operations = map[string]func(a, b float64) float64{
	"__add": func(a, b float64) float64 { return a + b },
	"__sub": func(a, b float64) float64 { return a - b },
	"__mul": func(a, b float64) float64 { return a * b },
	"__div": func(a, b float64) float64 { return a / b },
	"__mod": modulo,
	"__pow": math.Pow,
	"__unm": func(a, _ float64) float64 { return -a },
}

// arithmetic is an operation on two values of which one is a text or a table.
func arithmetic(l *lua.LState, event string, compute func(a, b float64) float64) int {
	if event == "__unm" {
		l.SetTop(1)
		l.Push(l.Get(1))
	}
	a, ok := asNumber(l.Get(1))
	b, okay := asNumber(l.Get(2))
	if ok && okay {
		return give(l, lua.LNumber(compute(a, b)))
	}
	for _, operand := range []lua.LValue{l.Get(1), l.Get(2)} {
		if _, isText := operand.(lua.LString); isText {
			continue
		}
		if f := l.GetMetaField(operand, event); f != lua.LNil {
			l.Push(f)
			l.Push(l.Get(1))
			l.Push(l.Get(2))
			l.Call(2, 1)
			return 1
		}
	}
	wrong := l.Get(1)
	if ok {
		wrong = l.Get(2)
	}
	l.RaiseError("attempt to perform arithmetic on a %s value", wrong.Type())
	return 0
}

// asNumber is a number, or what a text is as one.
func asNumber(v lua.LValue) (float64, bool) {
	switch v := v.(type) {
	case lua.LNumber:
		return float64(v), true
	case lua.LString:
		return parseNumber(string(v))
	}
	return 0, false
}

// parseNumber reads a number as strtod of C does, blanks around it included.
func parseNumber(text string) (float64, bool) {
	whole, plain := 0, len(text) > 0 && len(text) <= 15
	for i := 0; i < len(text) && plain; i++ {
		plain = '0' <= text[i] && text[i] <= '9'
		whole = 10*whole + int(text[i]-'0')
	}
	if plain {
		return float64(whole), true
	}
	text = strings.Trim(text, " \t\n\v\f\r")
	if strings.Contains(text, "_") {
		return 0, false
	}
	digits := strings.ToLower(strings.TrimLeft(text, "+-"))
	if len(text)-len(digits) > 1 {
		return 0, false
	}
	if strings.HasPrefix(digits, "0x") && !strings.Contains(digits, "p") {
		text += "p0" // Go wants an exponent after a hexadecimal number
	}
	if strings.HasPrefix(digits, "nan") {
		if digits != "nan" {
			return 0, false
		}
		if text[0] == '-' {
			return math.Copysign(math.NaN(), -1), true
		}
		return math.NaN(), true
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(n, 0) {
		return 0, false
	}
	return n, true
}

// appendNumber writes a number as Redis's Lua does: with 14 significant digits.
func appendNumber(b []byte, n float64) []byte {
	if whole := int64(n); float64(whole) == n && whole > -1e14 && whole < 1e14 && (whole != 0 || !math.Signbit(n)) {
		return strconv.AppendInt(b, whole, 10)
	}
	return appendFloat(b, n, 14)
}

// appendFloat writes a number as C's printf does by %g.
func appendFloat(b []byte, n float64, digits int) []byte {
	switch {
	case math.IsNaN(n) && math.Signbit(n):
		return append(b, "-nan"...)
	case math.IsNaN(n):
		return append(b, "nan"...)
	case math.IsInf(n, 1):
		return append(b, "inf"...)
	case math.IsInf(n, -1):
		return append(b, "-inf"...)
	}
	return strconv.AppendFloat(b, n, 'g', digits, 64)
}

// textOf is the text of a text or a number.
func textOf(v lua.LValue) (string, bool) {
	switch v := v.(type) {
	case lua.LString:
		return string(v), true
	case lua.LNumber:
		return string(appendNumber(nil, float64(v))), true
	}
	return "", false
}

// argument is a number as Redis writes it for a command since 7.2: in the fewest digits that give it back, and with an
// exponent where fpconv_dtoa has one.
func argument(n lua.LNumber) string {
	x := float64(n)
	if whole := int64(x); float64(whole) == x && math.Abs(x) < 1<<63 {
		return strconv.FormatInt(whole, 10)
	}
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return string(appendFloat(nil, x, -1))
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

// concat is "..", of all operands at once.
func (s *scripts) concat(l *lua.LState) int {
	s.formatted = s.formatted[:0]
	for i := 1; i <= l.GetTop(); i++ {
		switch v := l.Get(i).(type) {
		case lua.LString:
			s.formatted = append(s.formatted, v...)
		case lua.LNumber:
			s.formatted = appendNumber(s.formatted, float64(v))
		default:
			for n := range l.GetTop() {
				if l.GetMetaField(l.Get(n+1), "__concat") != lua.LNil {
					s.refuse("of __concat")
				}
			}
			l.RaiseError("attempt to concatenate a %s value", v.Type())
		}
	}
	return give(l, lua.LString(s.formatted))
}

func tostring(l *lua.LState) int {
	v := l.CheckAny(1)
	if n, ok := v.(lua.LNumber); ok {
		return give(l, lua.LString(appendNumber(nil, float64(n))))
	}
	return give(l, l.ToStringMeta(v))
}

func tonumber(l *lua.LState) int {
	l.CheckAny(1)
	n, ok := 0.0, false
	if base := integer(l, 2, 10); base == 10 {
		n, ok = asNumber(l.Get(1))
	} else {
		digits := strings.ToLower(strings.Trim(text(l, 1), " \t\n\v\f\r"))
		if base == 16 {
			digits = strings.TrimPrefix(digits, "0x")
		}
		whole, err := strconv.ParseUint(digits, base, 64)
		n, ok = float64(whole), err == nil || whole > 0
	}
	if !ok {
		return give(l, lua.LNil)
	}
	return give(l, lua.LNumber(n))
}
