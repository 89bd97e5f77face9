package script

import (
	"fmt"
	"strings"
)

// token is one word of Lua.
type token struct {
	kind tokenKind
	text string // as written; of a string, what it says
	line int    // on which it ends, as Lua counts
}

type tokenKind byte

const (
	word    tokenKind = 'n' // a name or a keyword
	numeral tokenKind = '0'
	quoted  tokenKind = 's'
	sign    tokenKind = 'p'
)

// SyntaxError is text that is no Lua 5.1.
type SyntaxError struct {
	Line int
	Text string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Text) }

// lexer reads Lua 5.1 as llex.c of Lua 5.1.5 does: the words are those that Redis reads, whatever tricks a text
// plays with comments, brackets and escapes.
type lexer struct {
	source string
	at     int
	line   int
	tokens []token
}

// lex splits source into tokens and leaves comments out. The error is a *SyntaxError. The tokens before it are given
// all the same.
func lex(source string) ([]token, error) {
	l := &lexer{source: source, line: 1}
	for l.at < len(source) {
		if err := l.next(); err != nil {
			return l.tokens, err
		}
	}
	return l.tokens, nil
}

// signs of two and three characters, the longest first.
var signs = []string{"...", "..", "==", "~=", "<=", ">="}

func (l *lexer) next() error {
	c, rest := l.source[l.at], l.source[l.at:]
	switch {
	case c == '\n' || c == '\r':
		l.newline()
		return nil
	case c == ' ' || c == '\t' || c == '\v' || c == '\f':
		l.at++
		return nil
	case strings.HasPrefix(rest, "--"):
		return l.comment()
	case c == '"' || c == '\'':
		return l.short(c)
	case c == '[' && longLevel(rest) >= 0:
		text, err := l.long(longLevel(rest), "string")
		l.add(quoted, text)
		return err
	case digit(c) || c == '.' && len(rest) > 1 && digit(rest[1]):
		return l.number()
	case wordByte(c):
		n := 1
		for n < len(rest) && wordByte(rest[n]) {
			n++
		}
		l.at += n
		l.add(word, rest[:n])
		return nil
	}
	for _, s := range signs {
		if strings.HasPrefix(rest, s) {
			l.at += len(s)
			l.add(sign, s)
			return nil
		}
	}
	if !strings.ContainsRune("+-*/%^#<>=(){}[];:,.", rune(c)) {
		return l.fail("unexpected symbol %q", string(c))
	}
	l.at++
	l.add(sign, string(c))
	return nil
}

func (l *lexer) add(kind tokenKind, text string) {
	l.tokens = append(l.tokens, token{kind, text, l.line})
}

func (l *lexer) fail(format string, args ...any) error {
	return &SyntaxError{l.line, fmt.Sprintf(format, args...)}
}

// newline passes one end of line, of which \r\n and \n\r are one.
func (l *lexer) newline() {
	first := l.source[l.at]
	l.at++
	if l.at < len(l.source) && l.source[l.at] != first && (l.source[l.at] == '\n' || l.source[l.at] == '\r') {
		l.at++
	}
	l.line++
}

func (l *lexer) comment() error {
	l.at += 2
	if level := longLevel(l.source[l.at:]); level >= 0 {
		_, err := l.long(level, "comment")
		return err
	}
	for l.at < len(l.source) && l.source[l.at] != '\n' && l.source[l.at] != '\r' {
		l.at++
	}
	return nil
}

// longLevel is the number of = in the opening bracket, such as [==[, that text begins with; -1 where it begins with
// none.
func longLevel(text string) int {
	if text == "" || text[0] != '[' {
		return -1
	}
	level := 0
	for level+1 < len(text) && text[level+1] == '=' {
		level++
	}
	if level+1 < len(text) && text[level+1] == '[' {
		return level
	}
	return -1
}

// long reads a long string or comment; every end of line in it is \n, and one right after the bracket is left out.
func (l *lexer) long(level int, what string) (string, error) {
	l.at += level + 2
	if l.at < len(l.source) && (l.source[l.at] == '\n' || l.source[l.at] == '\r') {
		l.newline()
	}
	var text strings.Builder
	end := "]" + strings.Repeat("=", level) + "]"
	for l.at < len(l.source) {
		c := l.source[l.at]
		switch {
		case c == '\n' || c == '\r':
			l.newline()
			text.WriteByte('\n')
		case strings.HasPrefix(l.source[l.at:], end):
			l.at += len(end)
			return text.String(), nil
		default:
			text.WriteByte(c)
			l.at++
		}
	}
	return "", l.fail("a long %s has no end", what)
}

// short reads a string in quotes.
func (l *lexer) short(quote byte) error {
	l.at++
	var text strings.Builder
	for l.at < len(l.source) {
		c := l.source[l.at]
		switch {
		case c == quote:
			l.at++
			l.add(quoted, text.String())
			return nil
		case c == '\n' || c == '\r':
			return l.fail("a string has no end")
		case c == '\\':
			if err := l.escape(&text); err != nil {
				return err
			}
		default:
			text.WriteByte(c)
			l.at++
		}
	}
	return l.fail("a string has no end")
}

// escape reads a backslash and what it stands for. What Lua 5.1 does not know stands for itself: \x41 is x41.
func (l *lexer) escape(text *strings.Builder) error {
	l.at++
	if l.at == len(l.source) {
		return l.fail("a string has no end")
	}
	c := l.source[l.at]
	switch {
	case c == '\n' || c == '\r':
		l.newline()
		text.WriteByte('\n')
		return nil
	case digit(c):
		return l.decimal(text)
	}
	if i := strings.IndexByte("abfnrtv", c); i >= 0 {
		c = "\a\b\f\n\r\t\v"[i]
	}
	text.WriteByte(c)
	l.at++
	return nil
}

// decimal reads an escape of up to three digits.
func (l *lexer) decimal(text *strings.Builder) error {
	value := 0
	for n := 0; n < 3 && l.at < len(l.source) && digit(l.source[l.at]); n++ {
		value = value*10 + int(l.source[l.at]-'0')
		l.at++
	}
	if value > 255 {
		return l.fail("the escape sequence \\%d is too large", value)
	}
	text.WriteByte(byte(value))
	return nil
}

// number reads whatever Lua would take for one numeral, and lets pass what it would understand on every platform.
func (l *lexer) number() error {
	rest := l.source[l.at:]
	n := 0
	for n < len(rest) && (wordByte(rest[n]) || rest[n] == '.' ||
		(rest[n] == '+' || rest[n] == '-') && n > 0 && (rest[n-1] == 'e' || rest[n-1] == 'E') && !hexadecimal(rest)) {
		n++
	}
	if !numeralText.MatchString(rest[:n]) {
		return l.fail("malformed number near %q", rest[:min(n, 40)])
	}
	l.at += n
	l.add(numeral, rest[:n])
	return nil
}

func hexadecimal(text string) bool {
	return len(text) > 1 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func wordByte(c byte) bool {
	return c == '_' || digit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// spell writes tokens as Lua that nobody can read in two ways: no comments, every string in the same plain form, a
// blank between any two words, and each word on its line.
func spell(tokens []token) string {
	var b strings.Builder
	line := 1
	for _, t := range tokens {
		for ; line < t.line; line++ {
			b.WriteByte('\n')
		}
		if t.kind == quoted {
			b.WriteString(Quote(t.text))
		} else {
			b.WriteString(t.text)
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// Quote writes text as a Lua string: decimal escapes for whatever is not plain.
func Quote(text string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for i := 0; i < len(text); i++ {
		if c := text[i]; c < ' ' || c > '~' || c == '\'' || c == '\\' {
			fmt.Fprintf(&b, "\\%03d", c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('\'')
	return b.String()
}
