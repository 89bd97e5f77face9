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
)

// opened is a bracket that waits for its end, and what that end will be.
type opened struct {
	call       bool // arguments of a call, or parentheses: a call may follow
	parameters bool // of a function: a statement follows
}

// Check finds what the parser takes and C's compiler does not: an escape above 255, a semicolon without a statement, a
// call whose arguments begin on another line. It is nil for all other scripts, right or wrong.
func Check(source string) *SyntaxError {
	_, wrong := prepared(source)
	return wrong
}

// prepared is a source for the parser, which takes `local f = function` for `local function f`. It does not take
// `local f = nil or function` for it.
func prepared(source string) (text string, wrong *SyntaxError) {
	var out strings.Builder
	declares := 0 // how much of `local f = (` stands before the word
	line, lastLine := 1, 1
	callable, starts, naming := false, true, false // what the last word was: see below
	var waiting []opened
	for source != "" {
		text := word.FindString(source)
		if long := longBracket.FindStringSubmatch(source); long != nil {
			end := strings.Index(source, "]"+long[1]+"]")
			if end < 0 {
				return out.String() + source, nil
			}
			text = source[:end+len(long[1])+2]
		}
		source = source[len(text):]
		begins := line
		line += strings.Count(text, "\n")
		if strings.TrimSpace(text) == "" || strings.HasPrefix(text, "--") {
			out.WriteString(text)
			continue
		}
		switch {
		case text == "local":
			declares = 1
		case declares == 1 && !keywords[text], declares == 2 && text == "=":
			declares++
		case declares == 3 && text == "(":
		default:
			if declares == 3 && text == "function" {
				out.WriteString("nil or ")
			}
			declares = 0
		}
		out.WriteString(text)
		wasCallable, wasStart := callable, starts
		callable, starts = false, false
		switch c := text[0]; {
		case c == '"' || c == '\'' && len(text) > 1:
			for _, digits := range escape.FindAllStringSubmatch(text, -1) {
				if n, err := strconv.Atoi(digits[1]); err == nil && n > 255 {
					return "", &SyntaxError{begins, "escape sequence too large near '" + digits[0] + "'"}
				}
			}
			callable = wasCallable
		case c == '[' && len(text) > 1:
			callable = wasCallable
		case isDigit(c) || c == '.' && len(text) > 1:
			if _, ok := ParseNumber(text); !ok {
				return "", &SyntaxError{begins, "malformed number near '" + text + "'"}
			}
		case text == ";":
			if starts = true; wasStart {
				return "", &SyntaxError{begins, "unexpected symbol near ';'"}
			}
		case text == "(":
			if wasCallable && !naming && begins > lastLine {
				return "", &SyntaxError{begins, "ambiguous syntax (function call x new statement) near '('"}
			}
			waiting = append(waiting, opened{call: true, parameters: naming})
			naming = false
		case text == "{" || text == "[":
			waiting = append(waiting, opened{call: wasCallable || text == "["})
		case text == ")" || text == "}" || text == "]":
			if len(waiting) == 0 {
				return out.String() + source, nil
			}
			last := waiting[len(waiting)-1]
			waiting = waiting[:len(waiting)-1]
			callable, starts = last.call && !last.parameters, last.parameters
		case text == "function":
			naming = true
		case text == "do" || text == "then" || text == "else" || text == "repeat":
			starts = true
		case c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z':
			callable = !keywords[text]
		}
		lastLine = line
	}
	return out.String(), nil
}

// keywords are the words that no call follows.
var keywords = func() map[string]bool {
	all := map[string]bool{}
	for name := range strings.FieldsSeq("and break do else elseif end false for function if in local nil not or " +
		"repeat return then true until while") {
		all[name] = true
	}
	return all
}()
