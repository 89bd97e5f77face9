package embedded

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/pm"
)

// largestMatch is how many bytes a text may have that a pattern is matched with. gopher-lua's matcher calls itself for
// each of them.
const largestMatch = 1 << 18

// matches finds a pattern in a text from an offset on: most times at most, and as often as it is there for -1.
func (s *scripts) matches(l *lua.LState, src, pat string, from, most int) []*pm.MatchData {
	missing := ""
	switch escapes := strings.ReplaceAll(pat, "%%", ""); {
	case strings.HasSuffix(escapes, "%"):
		l.RaiseError("malformed pattern (ends with '%%')")
	case strings.Contains(escapes, "%f"):
		missing = "of %f in a pattern"
	case max(len(src), len(pat)) > largestMatch:
		missing = "of a pattern on a text of more than 256 KiB"
	}
	if missing != "" {
		l.RaiseError("%s", s.refuse(missing))
	}
	found, err := pm.Find(pat, []byte(src), from, most)
	if err != nil {
		l.RaiseError("%s", err)
	}
	return found
}

// captured is capture i of a match; all of it for 0.
func captured(l *lua.LState, src string, m *pm.MatchData, i int) lua.LValue {
	if i *= 2; i >= m.CaptureLength() {
		l.RaiseError("invalid capture index")
	}
	if m.IsPosCapture(i) {
		return lua.LNumber(m.Capture(i))
	}
	return lua.LString(src[m.Capture(i):m.Capture(i+1)])
}

// push pushes the captures, or all of the match where there are none and whole is set.
func push(l *lua.LState, src string, m *pm.MatchData, whole bool) int {
	n := m.CaptureLength()/2 - 1
	if n == 0 && whole {
		return give(l, captured(l, src, m, 0))
	}
	for i := range n {
		l.Push(captured(l, src, m, i+1))
	}
	return n
}

// search is string.find, or string.match.
func (s *scripts) search(find bool) lua.LGFunction {
	return func(l *lua.LState) int {
		src, pat := text(l, 1), text(l, 2)
		at := min(max(0, relative(integer(l, 3, 1), len(src))-1), len(src))
		if find && (lua.LVAsBool(l.Get(4)) || !strings.ContainsAny(pat, "^$*+?.([%-")) {
			if i := strings.Index(src[at:], pat); i >= 0 {
				l.Push(lua.LNumber(at + i + 1))
				l.Push(lua.LNumber(at + i + len(pat)))
				return 2
			}
		} else if found := s.matches(l, src, pat, at, 1); len(found) > 0 {
			if !find {
				return push(l, src, found[0], true)
			}
			l.Push(lua.LNumber(found[0].Capture(0) + 1))
			l.Push(lua.LNumber(found[0].Capture(1)))
			return 2 + push(l, src, found[0], false)
		}
		return give(l, lua.LNil)
	}
}

// gmatch is string.gmatch, in which ^ is no anchor.
func (s *scripts) gmatch(l *lua.LState) int {
	src, pat := text(l, 1), text(l, 2)
	if strings.HasPrefix(pat, "^") {
		pat = "%" + pat
	}
	found := s.matches(l, src, pat, 0, -1)
	l.Push(l.NewFunction(func(l *lua.LState) int {
		if len(found) == 0 {
			return 0
		}
		first := found[0]
		found = found[1:]
		return push(l, src, first, true)
	}))
	return 1
}

// gsub is string.gsub.
func (s *scripts) gsub(l *lua.LState) int {
	src, pat := text(l, 1), text(l, 2)
	l.CheckTypes(3, lua.LTNumber, lua.LTString, lua.LTTable, lua.LTFunction)
	by := l.Get(3)
	var found []*pm.MatchData
	if most := integer(l, 4, len(src)+1); most > 0 {
		found = s.matches(l, src, pat, 0, most)
	}
	var out []byte
	at := 0
	for _, m := range found {
		out = append(out, src[at:m.Capture(0)]...)
		out = replace(l, out, src, m, by)
		at = m.Capture(1)
	}
	l.Push(lua.LString(append(out, src[at:]...)))
	l.Push(lua.LNumber(len(found)))
	return 2
}

// replace appends what stands in the place of a match.
func replace(l *lua.LState, out []byte, src string, m *pm.MatchData, by lua.LValue) []byte {
	first := 0
	if m.CaptureLength() > 2 {
		first = 1
	}
	var value lua.LValue
	switch by := by.(type) {
	case *lua.LTable:
		value = l.GetTable(by, captured(l, src, m, first))
	case *lua.LFunction:
		l.Push(by)
		l.Call(push(l, src, m, true), 1)
		value = l.Get(-1)
		l.Pop(1)
	default:
		form, _ := textOf(by)
		for i := 0; i < len(form); i++ {
			c := form[i]
			if c == '%' && i+1 < len(form) {
				i++
				if c = form[i]; '0' <= c && c <= '9' {
					n := int(c - '0')
					if n == 1 {
						n = first
					}
					part, _ := textOf(captured(l, src, m, n))
					out = append(out, part...)
					continue
				}
			}
			out = append(out, c)
		}
		return out
	}
	if lua.LVIsFalse(value) {
		value = captured(l, src, m, 0)
	}
	part, ok := textOf(value)
	if !ok {
		l.RaiseError("invalid replacement value (a %s)", value.Type())
	}
	return append(out, part...)
}
