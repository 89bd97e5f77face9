package luavm

import "strings"

// mostCaptures is LUA_MAXCAPTURES of C.
const mostCaptures = 32

// Special lengths of a capture.
const (
	unfinished = -1 // the end is not found yet
	position   = -2 // a position capture: ()
)

// matcher matches a text with a pattern. It takes the same steps as lstrlib.c, so that malformed patterns fail at the
// same place.
type matcher struct {
	t        *Thread
	src, pat string
	captures []capture
}

type capture struct{ from, length int }

// at returns byte p of the pattern, or 0 after its end, as in C.
func (m *matcher) at(p int) byte {
	if p < len(m.pat) {
		return m.pat[p]
	}
	return 0
}

// match matches the text from s on with the pattern from p on. It returns the end of the match, or -1.
func (m *matcher) match(s, p int) int {
	for {
		switch c, next := m.at(p), m.at(p+1); {
		case c == 0:
			return s
		case c == '(' && next == ')':
			return m.capture(s, p+2, position)
		case c == '(':
			return m.capture(s, p+1, unfinished)
		case c == ')':
			return m.endCapture(s, p+1)
		case c == '$' && next == 0:
			if s == len(m.src) {
				return s
			}
			return -1
		case c == '%' && next == 'b':
			if s = m.balanced(s, p+2); s < 0 {
				return -1
			}
			p += 4
			continue
		case c == '%' && next == 'f':
			if p += 2; m.at(p) != '[' {
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
		case c == '%' && isDigit(next):
			if s = m.again(s, next); s < 0 {
				return -1
			}
			p += 2
			continue
		}
		end := m.classEnd(p)
		switch m.at(end) {
		case '?':
			return m.most(s, p, end, 0, 1)
		case '*':
			return m.most(s, p, end, 0, len(m.src))
		case '+':
			return m.most(s, p, end, 1, len(m.src))
		case '-':
			return m.least(s, p, end)
		}
		if !m.single(s, p, end) {
			return -1
		}
		s, p = s+1, end
	}
}

// classEnd returns the end of the character class that begins at p.
func (m *matcher) classEnd(p int) int {
	c := m.pat[p]
	p++
	switch c {
	case '%':
		if m.at(p) == 0 {
			m.t.Fail("malformed pattern (ends with '%%')")
		}
		return p + 1
	case '[':
		if m.at(p) == '^' {
			p++
		}
		for first := true; first || m.at(p) != ']'; first = false {
			if m.at(p) == 0 {
				m.t.Fail("malformed pattern (missing ']')")
			}
			if p++; m.pat[p-1] == '%' && m.at(p) != 0 {
				p++
			}
		}
		return p + 1
	}
	return p
}

// single reports whether there is a character at s that is in the class from p to end.
func (m *matcher) single(s, p, end int) bool {
	if s >= len(m.src) {
		return false
	}
	switch m.pat[p] {
	case '.':
		return true
	case '%':
		return inClass(m.src[s], m.pat[p+1])
	case '[':
		return m.inSet(m.src[s], p, end-1)
	}
	return m.pat[p] == m.src[s]
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

// classes are the ranges of each character class in the C locale, as pairs of first and last character.
var classes = [256]string{'a': "AZaz", 'c': "\x00\x1f\x7f\x7f", 'd': "09", 'l': "az", 'p': "!/:@[`{~", 's': "\t\r  ",
	'u': "AZ", 'w': "09AZaz", 'x': "09AFaf", 'z': "\x00\x00"}

// inClass reports whether a character is in a class such as %d. An upper-case letter means the complement.
func inClass(c, class byte) bool {
	ranges := classes[class|0x20]
	if ranges == "" {
		return class == c
	}
	in := false
	for ; ranges != ""; ranges = ranges[2:] {
		in = in || ranges[0] <= c && c <= ranges[1]
	}
	return in == (class&0x20 != 0)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// most matches as many characters of the class from p to end as possible, and then the rest of the pattern.
func (m *matcher) most(s, p, end, least, most int) int {
	i := 0
	for i < most && m.single(s+i, p, end) {
		i++
	}
	for ; i >= least; i-- {
		if found := m.match(s+i, end+1); found >= 0 {
			return found
		}
	}
	return -1
}

// least matches as few characters as possible.
func (m *matcher) least(s, p, end int) int {
	for {
		if found := m.match(s, end+1); found >= 0 {
			return found
		}
		if !m.single(s, p, end) {
			return -1
		}
		s++
	}
}

func (m *matcher) balanced(s, p int) int {
	if m.at(p) == 0 || m.at(p+1) == 0 {
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

// again matches the text of an earlier capture: %1 to %9.
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

// captured returns capture i, counted from 0. If the pattern has no captures, capture 0 is the whole match.
func (m *matcher) captured(i, from, to int) Value {
	if i >= len(m.captures) {
		if i != 0 {
			m.t.Fail("invalid capture index")
		}
		return String(m.src[from:to])
	}
	c := m.captures[i]
	switch c.length {
	case unfinished:
		m.t.Fail("unfinished capture")
	case position:
		return Int(c.from + 1)
	}
	return String(m.src[c.from : c.from+c.length])
}

// results appends all captures to before, but at least the given number. Without captures, the whole match counts as
// one.
func (m *matcher) results(from, to, least int, before ...Value) []Value {
	for i := range max(least, len(m.captures)) {
		before = append(before, m.captured(i, from, to))
	}
	return before
}

// next finds the first match at or after a position, with the pattern from p on. An anchored pattern is tried only at
// that position.
func (m *matcher) next(from, p int, anchored bool) (at, end int) {
	end = -1
	for at = from; at <= len(m.src); at++ {
		m.captures = m.captures[:0]
		if end = m.match(at, p); end >= 0 || anchored {
			break
		}
	}
	return at, end
}

// search is string.find if find is set, and string.match otherwise.
func search(find bool) Native {
	return func(t *Thread, args []Value) []Value {
		m := &matcher{t: t, src: t.Text(args, 1), pat: t.Text(args, 2)}
		at := min(max(0, relative(t.optional(args, 3, 1), len(m.src))-1), len(m.src))
		visible, _, _ := strings.Cut(m.pat, "\x00") // C's strpbrk stops at a zero byte
		if find && (argument(args, 4).Truth() || !strings.ContainsAny(visible, "^$*+?.([%-")) {
			if i := strings.Index(m.src[at:], m.pat); i >= 0 {
				return t.All(Int(at+i+1), Int(at+i+len(m.pat)))
			}
			return t.One(Nil)
		}
		p := len(m.pat) - len(strings.TrimPrefix(m.pat, "^")) // after the anchor
		at, end := m.next(at, p, p == 1)
		switch {
		case end < 0:
			return t.One(Nil)
		case find:
			return t.All(m.results(at, end, 0, Int(at+1), Int(end))...)
		}
		return t.All(m.results(at, end, 1)...)
	}
}

// gmatch is string.gmatch. In its patterns, ^ is not an anchor.
func gmatch(t *Thread, args []Value) []Value {
	m, at := &matcher{src: t.Text(args, 1), pat: t.Text(args, 2)}, 0
	return t.One(NewFunction(func(t *Thread, _ []Value) []Value {
		m.t = t
		from, end := m.next(at, 0, false)
		if end < 0 {
			return nil
		}
		if at = end; end == from {
			at++
		}
		return t.All(m.results(from, end, 1)...)
	}))
}

// gsub is string.gsub.
func gsub(t *Thread, args []Value) []Value {
	m := &matcher{t: t, src: t.Text(args, 1), pat: t.Text(args, 2)}
	by := argument(args, 3)
	switch by.Kind() {
	case KindNumber, KindString, KindTable, KindFunction:
	default:
		t.BadArgument(3, "string/function/table expected")
	}
	most := t.optionalShort(args, 4, len(m.src)+1)
	p := len(m.pat) - len(strings.TrimPrefix(m.pat, "^"))
	var out []byte
	at, count := 0, 0
	for count < most && at <= len(m.src) {
		from, end := m.next(at, p, p == 1)
		if end < 0 {
			break
		}
		count++
		out = m.replace(append(out, m.src[at:from]...), by, from, end)
		if at = end; end == from {
			at++
			out = append(out, m.src[from:min(at, len(m.src))]...)
		}
		t.bound(len(out))
		if p == 1 {
			break
		}
	}
	return t.All(String(string(append(out, m.src[min(at, len(m.src)):]...))), Int(count))
}

// replace appends the replacement of a match.
func (m *matcher) replace(out []byte, by Value, from, to int) []byte {
	var v Value
	switch by.Kind() {
	case KindTable:
		v = m.t.Index(by, m.captured(0, from, to))
	case KindFunction:
		v = first(m.t.Call(by, m.results(from, to, 1)...))
	default:
		form, _ := TextOf(by)
		return m.fill(out, form, from, to)
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

// fill appends a replacement text. In it, %1 to %9 are captures, and %0 is the whole match.
func (m *matcher) fill(out []byte, form string, from, to int) []byte {
	for {
		before, after, found := strings.Cut(form, "%")
		out = append(out, before...)
		switch {
		case !found:
			return out
		case after == "":
			return append(out, 0) // C copies the zero byte that ends the text
		case !isDigit(after[0]):
			out = append(out, after[0])
		case after[0] == '0':
			out = append(out, m.src[from:to]...)
		default:
			part, _ := TextOf(m.captured(int(after[0]-'1'), from, to))
			out = append(out, part...)
		}
		form = after[1:]
	}
}
