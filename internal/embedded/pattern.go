package embedded

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// mostCaptures is how many captures a pattern may have, and mostDepth how deep the matcher may call itself.
const (
	mostCaptures = 32
	mostDepth    = 100_000
)

// Lengths of captures that have no end yet, and of those that are positions.
const (
	unfinished = -1
	position   = -2
)

// matcher matches a pattern of Lua 5.1, by the rules of its lstrlib.c.
type matcher struct {
	l        *lua.LState
	src, pat string
	level    int
	depth    int
	capture  [mostCaptures]struct{ start, length int }
}

// match returns the end of the match of pat[p:] at src[s:], or -1.
func (m *matcher) match(s, p int) int {
	if m.depth++; m.depth > mostDepth {
		m.l.RaiseError("pattern too complex")
	}
	defer func() { m.depth-- }()
	for p < len(m.pat) {
		switch m.pat[p] {
		case '(':
			if p+1 < len(m.pat) && m.pat[p+1] == ')' {
				return m.open(s, p+2, position)
			}
			return m.open(s, p+1, unfinished)
		case ')':
			i := m.level - 1
			for ; i >= 0 && m.capture[i].length != unfinished; i-- {
			}
			if i < 0 {
				m.l.RaiseError("invalid pattern capture")
			}
			m.capture[i].length = s - m.capture[i].start
			e := m.match(s, p+1)
			if e < 0 {
				m.capture[i].length = unfinished
			}
			return e
		case '%':
			if p+1 < len(m.pat) {
				switch c := m.pat[p+1]; {
				case c == 'b':
					if s = m.balanced(s, p+2); s < 0 {
						return -1
					}
					p += 4
					continue
				case c == 'f':
					if p += 2; p >= len(m.pat) || m.pat[p] != '[' {
						m.l.RaiseError("missing '[' after '%%f' in pattern")
					}
					end := m.classEnd(p)
					var before, at byte
					if s > 0 {
						before = m.src[s-1]
					}
					if s < len(m.src) {
						at = m.src[s]
					}
					if m.inSet(before, p, end-1) || !m.inSet(at, p, end-1) {
						return -1
					}
					p = end
					continue
				case '0' <= c && c <= '9':
					i := int(c - '1')
					if i < 0 || i >= m.level || m.capture[i].length == unfinished {
						m.l.RaiseError("invalid capture index")
					}
					text := m.src[m.capture[i].start:][:max(0, m.capture[i].length)]
					if !strings.HasPrefix(m.src[s:], text) {
						return -1
					}
					s, p = s+len(text), p+2
					continue
				}
			}
		case '$':
			if p+1 == len(m.pat) {
				if s == len(m.src) {
					return s
				}
				return -1
			}
		}
		end := m.classEnd(p)
		var times byte
		if end < len(m.pat) {
			times = m.pat[end]
		}
		switch times {
		case '?':
			if m.one(s, p, end) {
				if e := m.match(s+1, end+1); e >= 0 {
					return e
				}
			}
			p = end + 1
			continue
		case '*', '+':
			n := 0
			for m.one(s+n, p, end) {
				n++
			}
			least := 0
			if times == '+' {
				least = 1
			}
			if end+1 == len(m.pat) && n >= least {
				return s + n
			}
			for ; n >= least; n-- {
				if e := m.match(s+n, end+1); e >= 0 {
					return e
				}
			}
			return -1
		case '-':
			for {
				if e := m.match(s, end+1); e >= 0 {
					return e
				}
				if !m.one(s, p, end) {
					return -1
				}
				s++
			}
		}
		if !m.one(s, p, end) {
			return -1
		}
		s, p = s+1, end
	}
	return s
}

func (m *matcher) open(s, p, length int) int {
	if m.level >= mostCaptures {
		m.l.RaiseError("too many captures")
	}
	m.capture[m.level].start, m.capture[m.level].length = s, length
	m.level++
	e := m.match(s, p)
	if e < 0 {
		m.level--
	}
	return e
}

func (m *matcher) balanced(s, p int) int {
	if p+1 >= len(m.pat) {
		m.l.RaiseError("unbalanced pattern")
	}
	if s >= len(m.src) || m.src[s] != m.pat[p] {
		return -1
	}
	open, shut := m.pat[p], m.pat[p+1]
	deep := 1
	for s++; s < len(m.src); s++ {
		switch m.src[s] {
		case shut:
			if deep--; deep == 0 {
				return s + 1
			}
		case open:
			deep++
		}
	}
	return -1
}

// classEnd is where the class that begins at p ends.
func (m *matcher) classEnd(p int) int {
	p++
	switch m.pat[p-1] {
	case '%':
		if p == len(m.pat) {
			m.l.RaiseError("malformed pattern (ends with '%%')")
		}
		return p + 1
	case '[':
		if p < len(m.pat) && m.pat[p] == '^' {
			p++
		}
		for first := true; first || p >= len(m.pat) || m.pat[p] != ']'; first = false {
			if p >= len(m.pat) {
				m.l.RaiseError("malformed pattern (missing ']')")
			}
			p++
			if m.pat[p-1] == '%' && p < len(m.pat) {
				p++
			}
		}
		return p + 1
	}
	return p
}

// one reports whether the byte at s is in the class pat[p:end].
func (m *matcher) one(s, p, end int) bool {
	if s >= len(m.src) {
		return false
	}
	switch c := m.src[s]; m.pat[p] {
	case '.':
		return true
	case '%':
		return inClass(c, m.pat[p+1])
	case '[':
		return m.inSet(c, p, end-1)
	default:
		return m.pat[p] == c
	}
}

// inSet reports whether c is in the set from p, its [, to end, its ].
func (m *matcher) inSet(c byte, p, end int) bool {
	in := true
	if m.pat[p+1] == '^' {
		in = false
		p++
	}
	for p++; p < end; p++ {
		switch {
		case m.pat[p] == '%':
			if p++; inClass(c, m.pat[p]) {
				return in
			}
		case p+2 < end && m.pat[p+1] == '-':
			if p += 2; m.pat[p-2] <= c && c <= m.pat[p] {
				return in
			}
		case m.pat[p] == c:
			return in
		}
	}
	return !in
}

func inClass(c, class byte) bool {
	lower, upper, digit := 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9'
	var in bool
	switch class | 0x20 {
	case 'a':
		in = lower || upper
	case 'c':
		in = c < ' ' || c == 127
	case 'd':
		in = digit
	case 'l':
		in = lower
	case 'p':
		in = c > ' ' && c < 127 && !lower && !upper && !digit
	case 's':
		in = c == ' ' || '\t' <= c && c <= '\r'
	case 'u':
		in = upper
	case 'w':
		in = lower || upper || digit
	case 'x':
		in = digit || 'a' <= c|0x20 && c|0x20 <= 'f'
	case 'z':
		in = c == 0
	default:
		return class == c
	}
	if class|0x20 == class && class >= 'a' {
		return in
	}
	if 'A' <= class && class <= 'Z' {
		return !in
	}
	return class == c
}

// value is capture i of a match from s to e; all of it where the pattern has no captures.
func (m *matcher) value(i, s, e int) lua.LValue {
	if i >= m.level {
		if i > 0 {
			m.l.RaiseError("invalid capture index")
		}
		return lua.LString(m.src[s:e])
	}
	switch c := m.capture[i]; c.length {
	case unfinished:
		m.l.RaiseError("unfinished capture")
		return nil
	case position:
		return lua.LNumber(c.start + 1)
	default:
		return lua.LString(m.src[c.start : c.start+c.length])
	}
}

// push pushes the captures, or all of the match where there are none and whole is set.
func (m *matcher) push(s, e int, whole bool) int {
	n := m.level
	if n == 0 && whole {
		n = 1
	}
	for i := range n {
		m.l.Push(m.value(i, s, e))
	}
	return n
}

// start makes the matcher of the scripts ready; the pattern is without its anchor.
func (s *scripts) matching(l *lua.LState, src, pat string) (m *matcher, anchored bool) {
	m = &matcher{l: l, src: src}
	m.pat, anchored = strings.CutPrefix(pat, "^")
	return m, anchored
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
			l.Push(lua.LNil)
			return 1
		}
		m, anchored := s.matching(l, src, pat)
		for ; at <= len(src); at++ {
			m.level = 0
			if e := m.match(at, 0); e >= 0 {
				if !find {
					return m.push(at, e, true)
				}
				l.Push(lua.LNumber(at + 1))
				l.Push(lua.LNumber(e))
				return 2 + m.push(at, e, false)
			}
			if anchored {
				break
			}
		}
		l.Push(lua.LNil)
		return 1
	}
}

// gmatch is string.gmatch, in which ^ is no anchor.
func gmatch(l *lua.LState) int {
	m := &matcher{src: text(l, 1), pat: text(l, 2)}
	at := 0
	l.Push(l.NewFunction(func(l *lua.LState) int {
		m.l = l
		for ; at <= len(m.src); at++ {
			m.level, m.depth = 0, 0
			if e := m.match(at, 0); e >= 0 {
				from := at
				if at = e; e == from {
					at++
				}
				return m.push(from, e, true)
			}
		}
		return 0
	}))
	return 1
}

// gsub is string.gsub.
func (s *scripts) gsub(l *lua.LState) int {
	src, pat := text(l, 1), text(l, 2)
	replacement := l.Get(3)
	switch replacement.Type() {
	case lua.LTNumber, lua.LTString, lua.LTTable, lua.LTFunction:
	default:
		l.ArgError(3, "string/function/table expected")
	}
	most := integer(l, 4, len(src)+1)
	m, anchored := s.matching(l, src, pat)
	var out []byte
	n, at := 0, 0
	for n < most {
		m.level, m.depth = 0, 0
		e := m.match(at, 0)
		if e >= 0 {
			n++
			out = m.replace(out, replacement, at, e)
		}
		switch {
		case e > at:
			at = e
		case at < len(src):
			out = append(out, src[at])
			at++
		default:
			most = n
		}
		if anchored {
			break
		}
	}
	l.Push(lua.LString(append(out, src[at:]...)))
	l.Push(lua.LNumber(n))
	return 2
}

// replace appends what stands in the place of the match from s to e.
func (m *matcher) replace(out []byte, by lua.LValue, s, e int) []byte {
	var value lua.LValue
	switch by := by.(type) {
	case *lua.LTable:
		value = m.l.GetTable(by, m.value(0, s, e))
	case *lua.LFunction:
		m.l.Push(by)
		m.l.Call(m.push(s, e, true), 1)
		value = m.l.Get(-1)
		m.l.Pop(1)
	default:
		form, _ := textOf(by)
		for i := 0; i < len(form); i++ {
			if form[i] != '%' || i+1 == len(form) {
				out = append(out, form[i])
				continue
			}
			i++
			switch c := form[i]; {
			case c == '0':
				out = append(out, m.src[s:e]...)
			case '1' <= c && c <= '9':
				part, _ := textOf(m.value(int(c-'1'), s, e))
				out = append(out, part...)
			default:
				out = append(out, c)
			}
		}
		return out
	}
	if lua.LVIsFalse(value) {
		return append(out, m.src[s:e]...)
	}
	part, ok := textOf(value)
	if !ok {
		m.l.RaiseError("invalid replacement value (a %s)", value.Type())
	}
	return append(out, part...)
}
