package script

import "strings"

// token is one word of Lua: a name, a number, a string (its contents are not kept), or one sign.
type token struct {
	text string
	line int
	kind byte // 'n' name, '0' number, 's' string, 'p' punctuation
}

// lex splits Lua 5.1 source into tokens and leaves comments out. It is forgiving: what does not compile is for
// the server to say.
func lex(source string) []token {
	var tokens []token
	line := 1
	for i := 0; i < len(source); {
		c := source[i]
		switch {
		case c == '\n':
			line++
			i++
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case strings.HasPrefix(source[i:], "--"):
			n := len(source) - i
			if long := longBracket(source[i+2:]); long > 0 {
				n = 2 + long
			} else if end := strings.IndexByte(source[i:], '\n'); end >= 0 {
				n = end
			}
			line += strings.Count(source[i:i+n], "\n")
			i += n
		case c == '"' || c == '\'':
			n := quoted(source[i:])
			tokens = append(tokens, token{source[i : i+n], line, 's'})
			line += strings.Count(source[i:i+n], "\n")
			i += n
		case c == '[' && longBracket(source[i:]) > 0:
			n := longBracket(source[i:])
			tokens = append(tokens, token{"[[…]]", line, 's'})
			line += strings.Count(source[i:i+n], "\n")
			i += n
		case nameByte(c):
			n := 1
			for i+n < len(source) && (nameByte(source[i+n]) || source[i+n] == '.' && c <= '9') {
				n++
			}
			kind := byte('n')
			if c <= '9' {
				kind = '0'
			}
			tokens = append(tokens, token{source[i : i+n], line, kind})
			i += n
		default:
			n := 1
			if strings.HasPrefix(source[i:], "==") || strings.HasPrefix(source[i:], "..") {
				n = 2
			}
			tokens = append(tokens, token{source[i : i+n], line, 'p'})
			i += n
		}
	}
	return tokens
}

func nameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// quoted is the length of the short string that s begins with.
func quoted(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0]:
			return i + 1
		}
	}
	return len(s)
}

// longBracket is the length of the [[long]] or [==[long]==] bracket that s begins with, or 0.
func longBracket(s string) int {
	if s == "" || s[0] != '[' {
		return 0
	}
	level := 1
	for level < len(s) && s[level] == '=' {
		level++
	}
	if level == len(s) || s[level] != '[' {
		return 0
	}
	end := strings.Index(s, "]"+s[1:level]+"]")
	if end < 0 {
		return len(s)
	}
	return end + level + 1
}
