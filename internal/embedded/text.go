package embedded

import (
	"fmt"
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

// span is the part of a text from a position to another one, both included.
func span(of string, from, to int) string {
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
		return func(l *lua.LState) int { return give(l, lua.LString(f(text(l, 1)))) }
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
		"len": func(l *lua.LState) int { return give(l, lua.LNumber(len(text(l, 1)))) },
		"sub": func(l *lua.LState) int {
			float(l, 2)
			return give(l, lua.LString(span(text(l, 1), integer(l, 2, 1), integer(l, 3, -1))))
		},
		"byte": func(l *lua.LState) int {
			of := text(l, 1)
			from := relative(integer(l, 2, 1), len(of))
			part := span(of, from, integer(l, 3, from))
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
			return give(l, lua.LString(b))
		},
		"rep": func(l *lua.LState) int {
			of, n := text(l, 1), max(0, int(float(l, 2)))
			if len(of) > 0 && n > largestText/len(of) {
				l.RaiseError("resulting string too large")
			}
			return give(l, lua.LString(strings.Repeat(of, n)))
		},
	}
}

// format is string.format.
func (s *scripts) format(l *lua.LState) int {
	form := text(l, 1)
	out := s.formatted[:0]
	for argument := 2; ; {
		before, after, found := strings.Cut(form, "%")
		out = append(out, before...)
		if !found {
			break
		}
		if form, found = strings.CutPrefix(after, "%"); found {
			out = append(out, '%')
			continue
		}
		end := len(after) - len(strings.TrimLeft(after, "-+ #0123456789."))
		if end == len(after) {
			l.RaiseError("invalid option '%%' to 'format'")
		}
		out = formatted(l, out, after[:end], after[end], argument)
		form = after[end+1:]
		argument++
	}
	s.formatted = out
	return give(l, lua.LString(out))
}

// formatted appends an argument; form is what stands between % and the letter.
func formatted(l *lua.LState, out []byte, form string, letter byte, argument int) []byte {
	rest := strings.TrimLeft(form, "-+ #0")
	flags := form[:len(form)-len(rest)]
	width, precision, exact := strings.Cut(rest, ".")
	if len(flags) > 5 || len(width) > 2 || len(precision) > 2 || strings.ContainsAny(width+precision, "-+ #.") {
		l.RaiseError("invalid format")
	}
	var body string
	switch letter {
	case 'd', 'i':
		return fmt.Appendf(out, "%"+form+"d", int64(float(l, argument)))
	case 'u':
		return fmt.Appendf(out, "%"+form+"d", uint64(int64(float(l, argument))))
	case 'o', 'x', 'X':
		return fmt.Appendf(out, "%"+form+string(letter), uint64(int64(float(l, argument))))
	case 'e', 'E', 'f', 'g', 'G':
		n := float(l, argument)
		if !math.IsNaN(n) && !math.IsInf(n, 0) {
			if !exact {
				form += ".6"
			}
			return fmt.Appendf(out, "%"+form+string(letter), n)
		}
		body = string(appendFloat(nil, n, 6))
	case 'c':
		body = string([]byte{byte(float(l, argument))})
	case 'q':
		return append(append(append(out, '"'), escapes.Replace(text(l, argument))...), '"')
	case 's':
		body = text(l, argument)
		if exact || len(body) < 100 { // C ends a text there
			body, _, _ = strings.Cut(body, "\x00")
		}
		if most, _ := strconv.Atoi(precision); exact && most < len(body) {
			body = body[:most]
		}
	default:
		l.RaiseError("invalid option '%%%c' to 'format'", letter)
	}
	columns, _ := strconv.Atoi(width)
	pad := strings.Repeat(" ", max(0, columns-len(body)))
	if strings.Contains(flags, "-") {
		return append(append(out, body...), pad...)
	}
	return append(append(out, pad...), body...)
}

// escapes are those of the directive %q.
var escapes = strings.NewReplacer(`"`, `\"`, `\`, `\\`, "\n", "\\\n", "\r", `\r`, "\x00", `\000`)
