package luavm

import (
	"regexp"
	"strconv"
	"strings"
)

// word matches what a script begins with: a blank, a comment, a long string, a quoted one, a name, a number, a symbol.
// Long comments and strings have brackets of level n: see longBracket.
var word = regexp.MustCompile(`^(?:[ \t\n\v\f\r]+|--[^\n]*|"(?:[^"\\\n]|\\(?s:.))*"|'(?:[^'\\\n]|\\(?s:.))*'|` +
	`[A-Za-z_][A-Za-z_0-9]*|\.?[0-9](?:[eE][-+]|[0-9A-Za-z_.])*|(?s:.))`)

var (
	longBracket = regexp.MustCompile(`^(?:--)?\[(=*)\[`)
	escape      = regexp.MustCompile(`\\([0-9]{1,3}|(?s:.))`)
	// keyword matches the words that no call follows.
	keyword = regexp.MustCompile(`^(?:and|break|do|else|elseif|end|false|for|function|if|in|local|nil|not|or|repeat|` +
		`return|then|true|until|while)$`)
)

// Check finds what the parser takes and C's compiler does not: an escape above 255, a malformed number, a semicolon
// without a statement, a call whose arguments begin on another line. It is nil for all other scripts, right or wrong.
func Check(source string) *SyntaxError {
	line, lastLine := 1, 1
	callable, starts, naming := false, true, false // the last word ends what can be called, begins a block, is function
	var opened []bool                              // for each bracket that is open: what it closes can be called
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
			starts = text == ")" && !callable // parameters end
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
