package script

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/yuin/gopher-lua/parse"
)

// token is one word of Lua.
type token struct {
	kind int    // as in gopher-lua's parser
	text string // as written; for a string, its value
	line int    // the line on which it ends, as Lua counts
}

var numeralText = regexp.MustCompile(`^(0[xX][0-9a-fA-F]{1,16}|([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?)$`)

var leadingZeros = regexp.MustCompile(`^0+([0-9])`)

// lex splits source into tokens and drops comments. wrong says why source is not Lua 5.1. If gopher-lua reads a word
// differently from Redis, no harm is done, because servers get only the spelled tokens: see spell.
func lex(source string) (tokens []token, wrong *Remark) {
	scanner := parse.NewScanner(strings.NewReader(source), "")
	for {
		t, err := scanner.Scan(&parse.Lexer{})
		line := scanner.Pos.Line
		var bad *parse.Error
		errors.As(err, &bad)
		switch {
		case line == parse.EOF:
			line = 1 + strings.Count(source, "\n")
		case bad != nil && bad.Message == "unterminated string":
			line-- // the scanner has passed the line's end in its search for the string's end
		}
		switch {
		case bad != nil && bad.Message == "invalid multiline comment": // Redis reads --[= as a short one
			return tokens, &Remark{line, "long comment without an end, or a short one that begins with --[="}
		case bad != nil:
			return tokens, &Remark{line, fmt.Sprintf("%s near %.40q", strings.ToLower(bad.Message), bad.Token)}
		case t.Type == parse.EOF:
			return tokens, nil
		case t.Type == parse.TNumber && !numeralText.MatchString(t.Str):
			return tokens, &Remark{line, fmt.Sprintf("malformed number near %.40q", t.Str)}
		}
		switch t.Type {
		case '.': // the scanner gives it no text
			t.Str = "."
		case parse.TNumber: // gopher-lua drops one leading zero
			t.Str = leadingZeros.ReplaceAllString(t.Str, "$1")
		}
		tokens = append(tokens, token{t.Type, t.Str, line})
	}
}

// spell writes tokens as Lua that can be read in only one way. There are no comments, and all strings have the same
// plain form. A blank separates any two words, and each word stays on its line.
func spell(tokens []token) string {
	var b strings.Builder
	line := 1
	for _, t := range tokens {
		for ; line < t.line; line++ {
			b.WriteByte('\n')
		}
		if t.kind == parse.TString {
			b.WriteString(Quote(t.text))
		} else {
			b.WriteString(t.text)
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// Bounded returns a Facts.Body that calls function at the start of each loop and of each function. A script that runs
// forever has to pass one of them.
func Bounded(body, function string) string {
	tokens, _ := lex(body)
	var out []token
	parameters := false // the next ")" ends a list of parameters
	for _, t := range tokens {
		out = append(out, t)
		parameters = parameters || t.kind == parse.TFunction
		if t.kind == parse.TDo || t.kind == parse.TRepeat || parameters && t.kind == ')' {
			out = append(out, token{text: function + "();", line: t.line})
			parameters = false
		}
	}
	return spell(out)
}

// Quote writes text as a Lua string, with decimal escapes for all but plain characters.
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
