package luavm

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// relative converts a position. A negative one counts from the end of the text.
func relative(at, length int) int {
	if at < 0 {
		at += length + 1
	}
	return max(0, at)
}

// span returns the part of a text between two positions, both included.
func span(of string, from, to int) string {
	from = max(1, relative(from, len(of)))
	to = min(relative(to, len(of)), len(of))
	if from > to {
		return ""
	}
	return of[from-1 : to]
}

// texts returns the library string.
func texts() map[string]Native {
	of := func(f func(string) string) Native {
		return func(t *Thread, args []Value) []Value { return t.One(String(f(t.Text(args, 1)))) }
	}
	ascii := func(from, to byte) func(string) string {
		return func(text string) string {
			b := []byte(text)
			for i, c := range b {
				if from <= c && c <= to {
					b[i] ^= 0x20
				}
			}
			return string(b)
		}
	}
	return map[string]Native{
		"find": search(true), "match": search(false), "gmatch": gmatch, "gsub": gsub, "format": format,
		"lower": of(ascii('A', 'Z')), "upper": of(ascii('a', 'z')),
		"reverse": of(func(text string) string {
			b := []byte(text)
			slices.Reverse(b)
			return string(b)
		}),
		"dump": Refused("string.dump"),
		"len":  func(t *Thread, args []Value) []Value { return t.One(Int(len(t.Text(args, 1)))) },
		"sub": func(t *Thread, args []Value) []Value {
			text := t.Text(args, 1)
			return t.One(String(span(text, t.integer(args, 2), t.optional(args, 3, -1))))
		},
		"byte": func(t *Thread, args []Value) []Value {
			text := t.Text(args, 1)
			from := relative(t.optional(args, 2, 1), len(text))
			part := span(text, from, t.optional(args, 3, from))
			if len(part) > mostReturned-len(args) {
				t.Fail("string slice too long")
			}
			t.ret = t.ret[:0]
			for i := range len(part) {
				t.ret = append(t.ret, Int(int(part[i])))
			}
			return t.ret
		},
		"char": func(t *Thread, args []Value) []Value {
			b := make([]byte, len(args))
			for i := range b {
				c := t.short(args, i+1)
				if c != int(byte(c)) {
					t.BadArgument(i+1, "invalid value")
				}
				b[i] = byte(c)
			}
			return t.One(String(string(b)))
		},
		"rep": func(t *Thread, args []Value) []Value {
			text, n := t.Text(args, 1), max(0, t.short(args, 2))
			if len(text) > 0 && n > largestText/len(text) {
				t.Fail("resulting string too large")
			}
			return t.One(String(strings.Repeat(text, n)))
		},
	}
}

// format is string.format.
func format(t *Thread, args []Value) []Value {
	form := t.Text(args, 1)
	var out []byte
	for at := 2; ; {
		before, after, found := strings.Cut(form, "%")
		out = append(out, before...)
		if !found {
			break
		}
		if form, found = strings.CutPrefix(after, "%"); found {
			out = append(out, '%')
			continue
		}
		rest := strings.TrimLeft(after, "-+ #0")
		d := directive{flags: after[:len(after)-len(rest)], precision: -1}
		d.width, rest = digits(rest)
		if exact, ok := strings.CutPrefix(rest, "."); ok {
			d.precision, rest = digits(exact)
		}
		d.spec = "%" + after[:len(after)-len(rest)]
		switch {
		case at > len(args):
			t.BadArgument(at, "no value")
		case len(d.flags) > 5:
			t.Fail("invalid format (repeated flags)")
		case rest == "":
			t.Fail("invalid option '%%' to 'format'")
		case isDigit(rest[0]):
			t.Fail("invalid format (width or precision too long)")
		}
		out = t.directive(out, d, rest[0], args, at)
		form = rest[1:]
		at++
		t.bound(len(out))
	}
	return t.One(String(string(out)))
}

// digits splits a number of at most two digits from the beginning of a text.
func digits(text string) (number int, rest string) {
	n := 0
	for n < 2 && n < len(text) && isDigit(text[n]) {
		n++
	}
	number, _ = strconv.Atoi(text[:n])
	return number, text[n:]
}

// directive is a directive of string.format, such as %-5.2f. Most directives mean the same in Go.
type directive struct {
	spec, flags      string
	width, precision int // a precision of -1: none
}

func (d directive) has(flag string) bool { return strings.Contains(d.flags, flag) }

// directive appends an argument, formatted as the directive says.
func (t *Thread) directive(out []byte, d directive, letter byte, args []Value, at int) []byte {
	switch letter {
	case 'c':
		n := t.Float(args, at)
		if !(math.Abs(n) < 1<<31) { // out of the range of a C int
			n = 0
		}
		one, _, _ := bytes.Cut(d.pad(nil, string([]byte{byte(int(n))})), []byte{0}) // C ends the text at a zero byte
		return append(out, one...)
	case 'd', 'i':
		n := Cut(t.Float(args, at))
		if n == 0 && d.precision == 0 {
			return d.pad(out, d.sign(false))
		}
		return fmt.Appendf(out, d.spec+"d", n)
	case 'u', 'o', 'x', 'X':
		n := unsigned(t.Float(args, at))
		spec := unsignedSpec.Replace(d.spec + string(letter))
		switch {
		case n == 0 && letter == 'o' && d.precision == 0 && d.has("#"):
			return d.pad(out, "0")
		case letter == 'u', n == 0 && letter != 'o':
			spec = strings.ReplaceAll(spec, "#", "")
		case letter != 'o' && d.has("#") && d.has("0") && !d.has("-") && d.precision < 0:
			spec = fmt.Sprintf("%%#.%d%c", max(1, d.width-len("0x")), spec[len(spec)-1])
		}
		return fmt.Appendf(out, spec, n)
	case 'e', 'E', 'f', 'g', 'G':
		return d.float(out, letter, t.Float(args, at))
	case 'q':
		return append(append(append(out, '"'), escapes.Replace(t.Text(args, at))...), '"')
	case 's':
		text := t.Text(args, at)
		if d.precision < 0 && len(text) >= 100 { // C then copies the text without formatting it
			return append(out, text...)
		}
		text, _, _ = strings.Cut(text, "\x00")
		if d.precision >= 0 && d.precision < len(text) {
			text = text[:d.precision]
		}
		return d.pad(out, text)
	}
	t.Fail("invalid option '%%%s' to 'format'", strings.Trim(string([]byte{letter}), "\x00"))
	return out
}

// unsignedSpec removes the flags that C ignores for unsigned numbers, and translates %u to Go's %d.
var unsignedSpec = strings.NewReplacer("+", "", " ", "", "u", "d")

func (d directive) sign(negative bool) string {
	switch {
	case negative:
		return "-"
	case d.has("+"):
		return "+"
	case d.has(" "):
		return " "
	}
	return ""
}

// pad appends a text, padded to the directive's width.
func (d directive) pad(out []byte, text string) []byte {
	missing := strings.Repeat(" ", max(0, d.width-len(text)))
	if d.has("-") {
		return append(append(out, text...), missing...)
	}
	return append(append(out, missing...), text...)
}

// float appends a number formatted with %e, %f or %g.
func (d directive) float(out []byte, letter byte, n float64) []byte {
	if n != n || math.IsInf(n, 0) {
		text := d.sign(math.Signbit(n)) + string(AppendFloat(nil, math.Abs(n), 6))
		if letter < 'a' {
			text = strings.ToUpper(text)
		}
		return d.pad(out, text)
	}
	if d.precision < 0 {
		d.spec += ".6"
	}
	return fmt.Appendf(out, d.spec+string(letter), n)
}

// escapes are the escapes of the directive %q.
var escapes = strings.NewReplacer(`"`, `\"`, `\`, `\\`, "\n", "\\\n", "\r", `\r`, "\x00", `\000`)
