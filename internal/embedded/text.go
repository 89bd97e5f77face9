package embedded

import (
	"math"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// largestText is how long string.rep may make one, in bytes: more memory than there is would end this process.
const largestText = 1 << 28

// text is argument i as luaL_checkstring of C reads it.
func text(l *lua.LState, i int) string {
	t, ok := textOf(l.Get(i))
	if !ok {
		l.TypeError(i, lua.LTString)
	}
	return t
}

// integer is argument i as luaL_optinteger of C reads it.
func integer(l *lua.LState, i, otherwise int) int {
	if l.Get(i) == lua.LNil {
		return otherwise
	}
	return int(float(l, i))
}

func float(l *lua.LState, i int) float64 {
	n, ok := asNumber(l.Get(i))
	if !ok {
		l.TypeError(i, lua.LTNumber)
	}
	return n
}

// relative is a position that may count from the end of a text.
func relative(at, length int) int {
	if at < 0 {
		at += length + 1
	}
	return max(0, at)
}

// span is the part of a text from argument i to argument i+1.
func span(l *lua.LState, of string, i, from, to int) string {
	from = max(1, relative(from, len(of)))
	to = min(relative(to, len(of)), len(of))
	if from > to {
		return ""
	}
	return of[from-1 : to]
}

// ofTexts is the string library, as far as gopher-lua's differs.
func (s *scripts) ofTexts() map[string]lua.LGFunction {
	of := func(f func(string) string) lua.LGFunction {
		return func(l *lua.LState) int {
			l.Push(lua.LString(f(text(l, 1))))
			return 1
		}
	}
	ascii := func(from, to byte) func(string) string {
		return func(t string) string {
			b := []byte(t)
			for i, c := range b {
				if from <= c && c <= to {
					b[i] ^= 0x20
				}
			}
			return string(b)
		}
	}
	return map[string]lua.LGFunction{
		"find": s.search(true), "match": s.search(false), "gmatch": s.gmatch, "gsub": s.gsub,
		"format": s.format, "lower": of(ascii('A', 'Z')), "upper": of(ascii('a', 'z')),
		"len": func(l *lua.LState) int { l.Push(lua.LNumber(len(text(l, 1)))); return 1 },
		"sub": func(l *lua.LState) int {
			float(l, 2)
			l.Push(lua.LString(span(l, text(l, 1), 2, integer(l, 2, 1), integer(l, 3, -1))))
			return 1
		},
		"byte": func(l *lua.LState) int {
			of := text(l, 1)
			from := relative(integer(l, 2, 1), len(of))
			part := span(l, of, 2, from, integer(l, 3, from))
			for i := range len(part) {
				l.Push(lua.LNumber(part[i]))
			}
			return len(part)
		},
		"char": func(l *lua.LState) int {
			b := make([]byte, l.GetTop())
			for i := range b {
				c := int(float(l, i+1))
				if c != int(byte(c)) {
					l.ArgError(i+1, "invalid value")
				}
				b[i] = byte(c)
			}
			l.Push(lua.LString(b))
			return 1
		},
		"rep": func(l *lua.LState) int {
			of, n := text(l, 1), max(0, int(float(l, 2)))
			if len(of) > 0 && n > largestText/len(of) {
				l.RaiseError("resulting string too large")
			}
			l.Push(lua.LString(strings.Repeat(of, n)))
			return 1
		},
	}
}

// format is string.format.
func (s *scripts) format(l *lua.LState) int {
	form := text(l, 1)
	out := s.formatted[:0]
	argument := 1
	for i := 0; i < len(form); i++ {
		if form[i] != '%' {
			out = append(out, form[i])
			continue
		}
		if i++; i < len(form) && form[i] == '%' {
			out = append(out, '%')
			continue
		}
		argument++
		if argument > l.GetTop() {
			l.ArgError(argument, "no value")
		}
		d, length := direction(l, form[i:])
		i += length
		if i >= len(form) {
			l.RaiseError("invalid option '%%' to 'format'")
		}
		out = d.append(l, out, form[i], argument)
	}
	s.formatted = out
	l.Push(lua.LString(out))
	return 1
}

// directive is what stands between % and the letter; precision is -1 where there is none.
type directive struct {
	minus, plus, space, sharp, zero bool
	width, precision                int
}

// direction reads the flags, the width and the precision of a directive, and says how long they are.
func direction(l *lua.LState, form string) (d directive, length int) {
	at := 0
	for ; at < len(form) && strings.IndexByte("-+ #0", form[at]) >= 0; at++ {
		switch form[at] {
		case '-':
			d.minus = true
		case '+':
			d.plus = true
		case ' ':
			d.space = true
		case '#':
			d.sharp = true
		case '0':
			d.zero = true
		}
	}
	if at > 5 {
		l.RaiseError("invalid format (repeated flags)")
	}
	number := func() (n int) {
		for range 2 {
			if at < len(form) && '0' <= form[at] && form[at] <= '9' {
				n = 10*n + int(form[at]-'0')
				at++
			}
		}
		return n
	}
	d.width, d.precision = number(), -1
	if at < len(form) && form[at] == '.' {
		at++
		d.precision = number()
	}
	if at < len(form) && '0' <= form[at] && form[at] <= '9' {
		l.RaiseError("invalid format (width or precision too long)")
	}
	return d, at
}

// append writes an argument.
func (d directive) append(l *lua.LState, out []byte, letter byte, argument int) []byte {
	var room [64]byte
	body := room[:0]
	sign := ""
	switch letter {
	case 'c':
		d.zero = false
		body = append(body, byte(float(l, argument)))
	case 'd', 'i':
		n := int64(float(l, argument))
		if sign = d.sign(n < 0); n < 0 {
			body = strconv.AppendUint(body, -uint64(n), 10)
		} else {
			body = strconv.AppendUint(body, uint64(n), 10)
		}
		body = d.digits(body, n == 0)
	case 'o', 'u', 'x', 'X':
		x := float(l, argument)
		n := uint64(int64(x))
		if x >= 1<<63 {
			n = uint64(x)
		}
		body = strconv.AppendUint(body, n, map[byte]int{'o': 8, 'u': 10, 'x': 16, 'X': 16}[letter])
		if d.sharp && n != 0 {
			sign = map[byte]string{'o': "0", 'x': "0x", 'X': "0X"}[letter]
		}
		if body = d.digits(body, n == 0); letter == 'X' {
			body = []byte(strings.ToUpper(string(body)))
		}
	case 'e', 'E', 'f', 'g', 'G':
		n := float(l, argument)
		if d.precision < 0 {
			d.precision = 6
		}
		sign = d.sign(math.Signbit(n))
		d.zero = d.zero && !math.IsNaN(n) && !math.IsInf(n, 0)
		body = appendFloat(body, math.Abs(n), letter|0x20, d.precision)
		if letter < 'a' {
			body = []byte(strings.ToUpper(string(body)))
		}
	case 'q':
		body = append(body, '"')
		for _, c := range []byte(text(l, argument)) {
			switch c {
			case '"', '\\', '\n':
				body = append(body, '\\', c)
			case '\r':
				body = append(body, `\r`...)
			case 0:
				body = append(body, `\000`...)
			default:
				body = append(body, c)
			}
		}
		return append(append(out, body...), '"')
	case 's':
		t := text(l, argument)
		if end := strings.IndexByte(t, 0); end >= 0 && (len(t) < 100 || d.precision >= 0) {
			t = t[:end]
		}
		if d.precision >= 0 && d.precision < len(t) {
			t = t[:d.precision]
		}
		d.zero = false
		body = append(body, t...)
	default:
		l.RaiseError("invalid option '%%%c' to 'format'", letter)
	}
	pad := d.width - len(sign) - len(body)
	if !d.minus && !d.zero {
		out = repeat(out, ' ', pad)
	}
	out = append(out, sign...)
	if !d.minus && d.zero {
		out = repeat(out, '0', pad)
	}
	out = append(out, body...)
	if d.minus {
		out = repeat(out, ' ', pad)
	}
	return out
}

func (d directive) sign(negative bool) string {
	switch {
	case negative:
		return "-"
	case d.plus:
		return "+"
	case d.space:
		return " "
	}
	return ""
}

// digits fills up a whole number to the precision, with which the flag 0 does nothing.
func (d *directive) digits(body []byte, none bool) []byte {
	if d.precision < 0 {
		return body
	}
	d.zero = false
	if none && d.precision == 0 {
		return body[:0]
	}
	return append(repeat(nil, '0', d.precision-len(body)), body...)
}

func repeat(out []byte, c byte, n int) []byte {
	for range n {
		out = append(out, c)
	}
	return out
}
