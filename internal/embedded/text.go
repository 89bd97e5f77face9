package embedded

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// quicken puts our own string.match and string.format before gopher-lua's, which takes a pattern or a form apart at
// each call: that was an eighth of what a limiter's script took. What is not plain is left to gopher-lua.
func (s *scripts) quicken(l *lua.LState) {
	library := l.GetGlobal(lua.StringLibName).(*lua.LTable)
	match := library.RawGetString("match").(*lua.LFunction).GFunction
	library.RawSetString("match", l.NewFunction(func(l *lua.LState) int {
		if n := s.match(l); n > 0 {
			return n
		}
		if n := match(l); n > 0 {
			return n
		}
		l.Push(lua.LNil) // gopher-lua returns nothing at all, at which tonumber fails
		return 1
	}))
	format := library.RawGetString("format").(*lua.LFunction).GFunction
	library.RawSetString("format", l.NewFunction(func(l *lua.LState) int {
		if n := s.format(l); n > 0 {
			return n
		}
		for i := 2; i <= l.GetTop(); i++ { // gopher-lua writes them, places in memory and all
			switch kind := l.Get(i).Type(); kind {
			case lua.LTTable, lua.LTFunction, lua.LTThread, lua.LTUserData:
				l.ArgError(i, "string expected, got "+kind.String())
			}
		}
		return format(l)
	}))
	whole := l.GetGlobal("tonumber").(*lua.LFunction).GFunction
	l.SetGlobal("tonumber", l.NewFunction(func(l *lua.LState) int {
		if text, ok := l.Get(1).(lua.LString); ok && l.GetTop() == 1 {
			if n, ok := decimal(string(text)); ok {
				l.Push(lua.LNumber(n))
				return 1
			}
		}
		return whole(l)
	}))
}

// decimal is the number that a text of up to 15 digits is, which is most of what scripts read, and that of a text with
// an exponent, such as 5e-05, by which Redis writes small fractions, and inf: gopher-lua's tonumber knows neither.
func decimal(text string) (float64, bool) {
	whole, named := 0, false
	digits := len(text) > 0 && len(text) <= 15
	for i := range len(text) {
		c := text[i]
		digits = digits && '0' <= c && c <= '9'
		named = named || c == 'e' || c == 'E' || c == 'i' || c == 'I'
		whole = 10*whole + int(c-'0')
	}
	if digits {
		return float64(whole), true
	}
	if !named || strings.ContainsAny(text, "xX_") {
		return 0, false
	}
	n, err := strconv.ParseFloat(strings.Trim(text, " \t\n\v\f\r"), 64)
	return n, err == nil || math.IsInf(n, 0)
}

// match is string.match of a plain pattern; 0 where it is none.
func (s *scripts) match(l *lua.LState) int {
	if l.GetTop() != 2 {
		return 0
	}
	text, isText := l.Get(1).(lua.LString)
	source, isPattern := l.Get(2).(lua.LString)
	if !isText || !isPattern {
		return 0
	}
	p, known := s.patterns[string(source)]
	if !known {
		if len(s.patterns) >= 1000 { // a script may make new ones as it goes
			clear(s.patterns)
		}
		p = plain(string(source))
		s.patterns[string(source)] = p
	}
	if p == nil {
		return 0
	}
	return p.match(l, string(text))
}

// pattern is one of Lua in which no item could take what the next one needs, so that each takes all it can.
type pattern struct {
	anchored, toEnd bool
	items           []item
	captures        [][2]int // from before this item to before that one
}

// item is a class of bytes, and how many of it there may be: one, at least one, or any number.
type item struct {
	class    [256]bool
	optional bool
	many     bool
}

// mostItems is of one pattern.
const mostItems = 15

// plain reads a pattern; nil where it is not a plain one.
func plain(source string) *pattern {
	p := &pattern{}
	rest, anchored := strings.CutPrefix(source, "^")
	p.anchored = anchored
	open := -1
	for rest != "" {
		switch {
		case rest == "$":
			p.toEnd, rest = true, ""
			continue
		case rest[0] == '(' && open < 0:
			open, rest = len(p.items), rest[1:]
			continue
		case rest[0] == ')' && open >= 0 && open < len(p.items):
			p.captures = append(p.captures, [2]int{open, len(p.items)})
			open, rest = -1, rest[1:]
			continue
		}
		found := plainItem.FindStringSubmatch(rest)
		if found == nil || found[2] == "-" || len(p.items) == mostItems {
			return nil
		}
		p.items = append(p.items, newItem(found[1], found[2]))
		rest = rest[len(found[0]):]
	}
	if open >= 0 || len(p.items) == 0 || !p.certain() {
		return nil
	}
	return p
}

// plainItem is a class of bytes, and how many of it there may be: %d, an escaped sign, a range, or one byte.
var plainItem = regexp.MustCompile(`^(%d|%[$^()%.\[\]*+?-]|\[[0-9A-Za-z]-[0-9A-Za-z]\]|` +
	`[^$^()%.\[\]*+?\x00\x{80}-\x{10FFFF}])([+*?-]?)`)

func newItem(class, times string) item {
	it := item{many: times == "+" || times == "*", optional: times == "*" || times == "?"}
	from, to := class[len(class)-1], class[len(class)-1]
	switch {
	case class == "%d":
		from, to = '0', '9'
	case len(class) == len("[a-z]"):
		from, to = class[1], class[3]
	}
	for c := int(from); c <= int(to); c++ {
		it.class[c] = true
	}
	return it
}

// certain reports whether no item that may take more or less could take what one after it needs.
func (p *pattern) certain() bool {
	for i, it := range p.items {
		if !it.many && !it.optional {
			continue
		}
		for _, next := range p.items[i+1:] {
			for c := range it.class {
				if it.class[c] && next.class[c] {
					return false
				}
			}
			if !next.optional {
				break
			}
		}
	}
	return true
}

// match pushes the captures, or all that matches where there are none, or nil.
func (p *pattern) match(l *lua.LState, text string) int {
	var at [mostItems + 1]int
	for start := 0; start <= len(text); start++ {
		if p.at(&at, text, start) {
			for _, c := range p.captures {
				l.Push(lua.LString(text[at[c[0]]:at[c[1]]]))
			}
			if len(p.captures) == 0 {
				l.Push(lua.LString(text[start:at[len(p.items)]]))
			}
			return max(1, len(p.captures))
		}
		if p.anchored {
			break
		}
	}
	l.Push(lua.LNil)
	return 1
}

// at reports whether the pattern matches from start on, and notes where each item begins.
func (p *pattern) at(at *[mostItems + 1]int, text string, start int) bool {
	to := start
	at[0] = start
	for i := range p.items {
		it := &p.items[i]
		for to < len(text) && it.class[text[to]] && (it.many || to == at[i]) {
			to++
		}
		if to == at[i] && !it.optional {
			return false
		}
		at[i+1] = to
	}
	return !p.toEnd || to == len(text)
}

// format is string.format of whole numbers, in forms such as %.0f, %016.0f and %d with other text around them; 0 where
// there is anything else in it.
func (s *scripts) format(l *lua.LState) int {
	form, ok := l.Get(1).(lua.LString)
	if !ok {
		return 0
	}
	s.formatted = s.formatted[:0]
	rest := string(form)
	for argument := 2; ; argument++ {
		before, verb, more := strings.Cut(rest, "%")
		s.formatted = append(s.formatted, before...)
		if !more {
			break
		}
		width := 0
		if len(verb) > 3 && verb[0] == '0' && verb[1] >= '1' && verb[1] <= '9' && verb[2] >= '0' && verb[2] <= '9' {
			width, verb = int(verb[1]-'0')*10+int(verb[2]-'0'), verb[3:]
		}
		if rest, ok = strings.CutPrefix(verb, ".0f"); !ok {
			if rest, ok = strings.CutPrefix(verb, "d"); !ok {
				return 0
			}
		}
		number, ok := l.Get(argument).(lua.LNumber)
		whole := int64(number)
		if !ok || math.Abs(float64(number)) > 1<<53 || float64(whole) != float64(number) || whole <= 0 && width > 0 ||
			whole == 0 && math.Signbit(float64(number)) {
			return 0
		}
		var room [20]byte
		digits := strconv.AppendInt(room[:0], whole, 10)
		for range width - len(digits) {
			s.formatted = append(s.formatted, '0')
		}
		s.formatted = append(s.formatted, digits...)
	}
	l.Push(lua.LString(string(s.formatted)))
	return 1
}
