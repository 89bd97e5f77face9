package luavm

import (
	"regexp"
	"strconv"
	"strings"
)

// word matches the next token: blanks, a comment, a quoted string, a name, a number, or a symbol. longBracket matches
// the beginning of long comments and long strings.
var word = regexp.MustCompile(`^(?:[ \t\n\v\f\r]+|--[^\n]*|"(?:[^"\\\n]|\\(?s:.))*"|'(?:[^'\\\n]|\\(?s:.))*'|` +
	`[A-Za-z_][A-Za-z_0-9]*|\.?[0-9](?:[eE][-+]|[0-9A-Za-z_.])*|(?s:.))`)

var (
	longBracket = regexp.MustCompile(`^(?:--)?\[(=*)\[`)
	escape      = regexp.MustCompile(`\\([0-9]{1,3}|(?s:.))`)
	// keyword matches the keywords that cannot end a called expression.
	keyword = regexp.MustCompile(`^(?:and|break|do|else|elseif|end|false|for|function|if|in|local|nil|not|or|repeat|` +
		`return|then|true|until|while)$`)
)

// Check finds syntax errors of C's compiler that the parser accepts: an escape above 255, a malformed number, a
// semicolon without a statement, and a call whose arguments begin on another line. It returns nil for all other
// scripts, even if they have other errors.
func Check(source string) *SyntaxError {
	line, lastLine := 1, 1
	// The previous token ends a callable expression; begins a block; is "function".
	callable, starts, naming := false, true, false
	var opened []bool // for each open bracket: whether the closed expression is callable
	for source != "" {
		text := word.FindString(source)
		if long := longBracket.FindStringSubmatch(source); long != nil {
			end := strings.Index(source, "]"+long[1]+"]")
			if end < 0 {
				return nil
			}
			text = source[:end+len(long[1])+2]
		}
		source = source[len(text):]
		begins := line
		line += strings.Count(text, "\n")
		if strings.TrimSpace(text) == "" || strings.HasPrefix(text, "--") {
			continue
		}
		wasCallable, wasStart := callable, starts
		callable, starts = false, false
		switch c := text[0]; {
		case len(text) > 1 && strings.IndexByte(`"'[`, c) >= 0:
			callable = wasCallable
			for _, digits := range escape.FindAllStringSubmatch(text, -1) {
				if n, err := strconv.Atoi(digits[1]); err == nil && n > 255 && c != '[' {
					return &SyntaxError{begins, "escape sequence too large near '" + digits[0] + "'"}
				}
			}
		case isDigit(c) || c == '.' && len(text) > 1:
			if _, ok := ParseNumber(text); !ok {
				return &SyntaxError{begins, "malformed number near '" + text + "'"}
			}
		case text == ";":
			if starts = true; wasStart {
				return &SyntaxError{begins, "unexpected symbol near ';'"}
			}
		case text == "(":
			if wasCallable && !naming && begins > lastLine {
				return &SyntaxError{begins, "ambiguous syntax (function call x new statement) near '('"}
			}
			opened, naming = append(opened, !naming), false
		case text == "{" || text == "[":
			opened = append(opened, wasCallable || text == "[")
		case text == ")" || text == "}" || text == "]":
			if len(opened) == 0 {
				return nil
			}
			callable, opened = opened[len(opened)-1], opened[:len(opened)-1]
			starts = text == ")" && !callable // this closes a parameter list
		case text == "function":
			naming = true
		case text == "do" || text == "then" || text == "else" || text == "repeat":
			starts = true
		default:
			callable = (c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z') && !keyword.MatchString(text)
		}
		lastLine = line
	}
	return nil
}
