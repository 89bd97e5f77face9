package luavm

import "strings"

// mostCaptures is LUA_MAXCAPTURES.
const mostCaptures = 32

// Special lengths of a capture.
const (
	unfinished = -1 // its end is not found yet
	position   = -2 // it is a position
)

// matcher matches a text with a pattern, step by step as lstrlib.c does, so that broken patterns fail at the same
// place.
type matcher struct {
	t        *Thread
	src, pat string
	captures []capture
}

type capture struct{ from, length int }

// match matches from position s of the text with the pattern from p on. It gives the end of the match, or -1.
func (m *matcher) match(s, p int) int {
	for {
		if p == len(m.pat) {
			return s
		}
		switch c := m.pat[p]; {
		case c == '(' && p+1 < len(m.pat) && m.pat[p+1] == ')':
			return m.capture(s, p+2, position)
		case c == '(':
			return m.capture(s, p+1, unfinished)
		case c == ')':
			return m.endCapture(s, p+1)
		case c == '$' && p+1 == len(m.pat):
			if s == len(m.src) {
				return s
			}
			return -1
		case c == '%' && p+1 < len(m.pat) && m.pat[p+1] == 'b':
			if s = m.balanced(s, p+2); s < 0 {
				return -1
			}
			p += 4
			continue
		case c == '%' && p+1 < len(m.pat) && m.pat[p+1] == 'f':
			if p += 2; p >= len(m.pat) || m.pat[p] != '[' {
				m.t.Fail("missing '[' after '%%f' in pattern")
			}
			end := m.classEnd(p)
			var before, after byte
			if s > 0 {
				before = m.src[s-1]
			}
			if s < len(m.src) {
				after = m.src[s]
			}
			if m.inSet(before, p, end-1) || !m.inSet(after, p, end-1) {
				return -1
			}
			p = end
			continue
		case c == '%' && p+1 < len(m.pat) && isDigit(m.pat[p+1]):
			if s = m.again(s, m.pat[p+1]); s < 0 {
				return -1
			}
			p += 2
			continue
		}
		end := m.classEnd(p)
		one := s < len(m.src) && m.single(m.src[s], p, end)
		var repeat byte
		if end < len(m.pat) {
			repeat = m.pat[end]
		}
		switch repeat {
		case '?':
			if one {
				if found := m.match(s+1, end+1); found >= 0 {
					return found
				}
			}
			p = end + 1
		case '*':
			return m.most(s, p, end)
		case '+':
			if !one {
				return -1
			}
			return m.most(s+1, p, end)
		case '-':
			return m.least(s, p, end)
		default:
			if !one {
				return -1
			}
			s, p = s+1, end
		}
	}
}

// classEnd returns the end of the character class that begins at p.
func (m *matcher) classEnd(p int) int {
	c := m.pat[p]
	p++
	switch c {
	case '%':
		if p == len(m.pat) {
			m.t.Fail("malformed pattern (ends with '%%')")
		}
		return p + 1
	case '[':
		if p < len(m.pat) && m.pat[p] == '^' {
			p++
		}
		for first := true; first || p == len(m.pat) || m.pat[p] != ']'; first = false {
			if p == len(m.pat) {
				m.t.Fail("malformed pattern (missing ']')")
			}
			if p++; m.pat[p-1] == '%' && p < len(m.pat) {
				p++
			}
		}
		return p + 1
	}
	return p
}

// single reports whether a character is of the class from p to end.
func (m *matcher) single(c byte, p, end int) bool {
	switch m.pat[p] {
	case '.':
		return true
	case '%':
		return inClass(c, m.pat[p+1])
	case '[':
		return m.inSet(c, p, end-1)
	}
	return m.pat[p] == c
}

// inSet reports whether a character is in the set whose brackets are at p and end.
func (m *matcher) inSet(c byte, p, end int) bool {
	found := true
	if m.pat[p+1] == '^' {
		found = false
		p++
	}
	for p++; p < end; p++ {
		switch {
		case m.pat[p] == '%':
			if p++; inClass(c, m.pat[p]) {
				return found
			}
		case m.pat[p+1] == '-' && p+2 < end:
			if p += 2; m.pat[p-2] <= c && c <= m.pat[p] {
				return found
			}
		case m.pat[p] == c:
			return found
		}
	}
	return !found
}

// inClass reports whether a character is in a class such as %d, in the locale C.
func inClass(c, class byte) bool {
	lower := 'a' <= c && c <= 'z'
	upper := 'A' <= c && c <= 'Z'
	var in bool
	switch class | 0x20 {
	case 'a':
		in = lower || upper
	case 'c':
		in = c < ' ' || c == 127
	case 'd':
		in = isDigit(c)
	case 'l':
		in = lower
	case 'p':
		in = c > ' ' && c < 127 && !lower && !upper && !isDigit(c)
	case 's':
		in = c == ' ' || '\t' <= c && c <= '\r'
	case 'u':
		in = upper
	case 'w':
		in = lower || upper || isDigit(c)
	case 'x':
		in = isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f'
	case 'z':
		in = c == 0
	default:
		return class == c
	}
	if !('a' <= class && class <= 'z' || 'A' <= class && class <= 'Z') {
		return class == c
	}
	return in == (class&0x20 != 0)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func (m *matcher) most(s, p, end int) int {
	i := 0
	for s+i < len(m.src) && m.single(m.src[s+i], p, end) {
		i++
	}
	for ; i >= 0; i-- {
		if found := m.match(s+i, end+1); found >= 0 {
			return found
		}
	}
	return -1
}

func (m *matcher) least(s, p, end int) int {
	for {
		if found := m.match(s, end+1); found >= 0 {
			return found
		}
		if s == len(m.src) || !m.single(m.src[s], p, end) {
			return -1
		}
		s++
	}
}

func (m *matcher) balanced(s, p int) int {
	if p+1 >= len(m.pat) {
		m.t.Fail("unbalanced pattern")
	}
	if s == len(m.src) || m.src[s] != m.pat[p] {
		return -1
	}
	opens, shuts := m.pat[p], m.pat[p+1]
	depth := 1
	for s++; s < len(m.src); s++ {
		switch m.src[s] {
		case shuts:
			if depth--; depth == 0 {
				return s + 1
			}
		case opens:
			depth++
		}
	}
	return -1
}

func (m *matcher) capture(s, p, length int) int {
	if len(m.captures) >= mostCaptures {
		m.t.Fail("too many captures")
	}
	m.captures = append(m.captures, capture{s, length})
	found := m.match(s, p)
	if found < 0 {
		m.captures = m.captures[:len(m.captures)-1]
	}
	return found
}

func (m *matcher) endCapture(s, p int) int {
	last := len(m.captures) - 1
	for ; last >= 0 && m.captures[last].length != unfinished; last-- {
	}
	if last < 0 {
		m.t.Fail("invalid pattern capture")
	}
	m.captures[last].length = s - m.captures[last].from
	found := m.match(s, p)
	if found < 0 {
		m.captures[last].length = unfinished
	}
	return found
}

// again matches the text of the capture with that number.
func (m *matcher) again(s int, digit byte) int {
	i := int(digit) - '1'
	if i < 0 || i >= len(m.captures) || m.captures[i].length == unfinished {
		m.t.Fail("invalid capture index")
	}
	c := m.captures[i]
	if c.length < 0 || !strings.HasPrefix(m.src[s:], m.src[c.from:c.from+c.length]) {
		return -1
	}
	return s + c.length
}

// captured returns capture i, counted from 0. It returns the whole match if the pattern has no captures.
func (m *matcher) captured(i, from, to int) Value {
	if i >= len(m.captures) {
		if i != 0 {
			m.t.Fail("invalid capture index")
		}
		return String(m.src[from:to])
	}
	switch c := m.captures[i]; c.length {
	case unfinished:
		m.t.Fail("unfinished capture")
	case position:
		return Int(c.from + 1)
	}
	return String(m.src[m.captures[i].from : m.captures[i].from+m.captures[i].length])
}

// results returns all captures. If the pattern has no captures and whole is set, it returns the whole match.
func (m *matcher) results(from, to int, whole bool) []Value {
	n := len(m.captures)
	if n == 0 && whole {
		n = 1
	}
	all := make([]Value, n)
	for i := range all {
		all[i] = m.captured(i, from, to)
	}
	return all
}

// search is string.find, or string.match.
func search(find bool) Native {
	return func(t *Thread, args []Value) []Value {
		src, pat := t.Text(args, 1), t.Text(args, 2)
		at := min(max(0, relative(t.optional(args, 3, 1), len(src))-1), len(src))
		if find && (argument(args, 4).Truth() || !strings.ContainsAny(pat, "^$*+?.([%-")) {
			if i := strings.Index(src[at:], pat); i >= 0 {
				return t.All(Int(at+i+1), Int(at+i+len(pat)))
			}
			return t.One(Nil)
		}
		m := &matcher{t: t, src: src, pat: pat}
		p := len(pat) - len(strings.TrimPrefix(pat, "^")) // behind the anchor
		for ; at <= len(src); at++ {
			m.captures = m.captures[:0]
			if end := m.match(at, p); end >= 0 {
				if find {
					return t.All(append([]Value{Int(at + 1), Int(end)}, m.results(at, end, false)...)...)
				}
				return t.All(m.results(at, end, true)...)
			}
			if p == 1 {
				break
			}
		}
		return t.One(Nil)
	}
}

// gmatch is string.gmatch, in which ^ is no anchor.
func gmatch(t *Thread, args []Value) []Value {
	m, at := &matcher{src: t.Text(args, 1), pat: t.Text(args, 2)}, 0
	return t.One(NewFunction(func(t *Thread, _ []Value) []Value {
		m.t = t
		for ; at <= len(m.src); at++ {
			m.captures = m.captures[:0]
			if end := m.match(at, 0); end >= 0 {
				from := at
				if at = end; end == from {
					at++
				}
				return t.All(m.results(from, end, true)...)
			}
		}
		return nil
	}))
}

// gsub is string.gsub.
func gsub(t *Thread, args []Value) []Value {
	src, pat := t.Text(args, 1), t.Text(args, 2)
	anchored := strings.HasPrefix(pat, "^")
	pat = strings.TrimPrefix(pat, "^")
	by := argument(args, 3)
	switch by.Kind() {
	case KindNumber, KindString, KindTable, KindFunction:
	default:
		t.BadArgument(3, "string/function/table expected")
	}
	most := t.optionalShort(args, 4, len(src)+1)
	m := &matcher{t: t, src: src, pat: pat}
	var out []byte
	at, count := 0, 0
	for count < most {
		m.captures = m.captures[:0]
		end := m.match(at, 0)
		if end >= 0 {
			count++
			out = m.replace(out, by, at, end)
		}
		switch {
		case end > at:
			at = end
		case at < len(src):
			out = append(out, src[at])
			at++
		default:
			at++
		}
		if at > len(src) || anchored {
			break
		}
		t.bound(len(out))
	}
	if at < len(src) {
		out = append(out, src[at:]...)
	}
	return t.All(String(string(out)), Int(count))
}

// replace appends what stands in the place of a match.
func (m *matcher) replace(out []byte, by Value, from, to int) []byte {
	var v Value
	switch by.Kind() {
	case KindTable:
		v = m.t.Index(by, m.captured(0, from, to))
	case KindFunction:
		v = first(m.t.Call(by, m.results(from, to, true)...))
	default:
		form, _ := TextOf(by)
		for i := 0; i < len(form); i++ {
			c := form[i]
			if c != '%' {
				out = append(out, c)
				continue
			}
			if i++; i == len(form) {
				return append(out, 0) // C copies the byte that ends the text
			}
			switch c = form[i]; {
			case !isDigit(c):
				out = append(out, c)
			case c == '0':
				out = append(out, m.src[from:to]...)
			default:
				part, _ := TextOf(m.captured(int(c)-'1', from, to))
				out = append(out, part...)
			}
		}
		return out
	}
	if !v.Truth() {
		return append(out, m.src[from:to]...)
	}
	part, ok := TextOf(v)
	if !ok {
		m.t.Fail("invalid replacement value (a %s)", v.Kind())
	}
	return append(out, part...)
}
