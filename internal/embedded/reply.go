package embedded

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"

	lua "github.com/yuin/gopher-lua"

	"ratelab/internal/resp"
)

// read takes the first reply off text in RESP2, and makes of it what a script sees: a status is a table, and nothing at
// all is false. An error, also one inside of an array, is a problem.
func read(l *lua.LState, text []byte) (value lua.LValue, problem string, rest []byte) {
	end := bytes.IndexByte(text, '\n')
	if end < 2 {
		return nil, "invalid request", nil
	}
	line, rest := text[1:end-1], text[end+1:]
	switch text[0] {
	case '+':
		return told(l, "ok", string(line)), "", rest
	case '-':
		return nil, string(line), rest
	}
	n, err := strconv.Atoi(string(line))
	switch {
	case err != nil:
		return nil, "invalid request", nil
	case text[0] == ':':
		return lua.LNumber(n), "", rest
	case n < 0:
		return lua.LFalse, "", rest
	case text[0] == '$' && len(rest) >= n+2:
		return lua.LString(rest[:n]), "", rest[n+2:]
	case text[0] == '*':
		items := l.CreateTable(n, 0)
		for range n {
			if value, problem, rest = read(l, rest); problem != "" {
				return nil, problem, rest
			}
			items.Append(value)
		}
		return items, "", rest
	}
	return nil, "invalid request", nil
}

// What a script returns may be in itself.
const (
	deepest = 100
	largest = 512 << 20 // bytes, as of a string
)

// answer is what a script returns, as text of the connection's protocol.
type answer struct {
	text  []byte
	resp3 bool
}

// add writes a value, and reports whether it is not too large. A table ends before its first nil; what is no value of
// Redis is nothing.
func (a *answer) add(value lua.LValue, depth int) bool {
	switch v := value.(type) {
	case lua.LBool:
		if v {
			a.text = resp.AppendHeader(a.text, ':', 1)
			return true
		}
	case lua.LNumber:
		a.text = resp.AppendHeader(a.text, ':', int(v))
		return true
	case lua.LString:
		a.text = resp.AppendText(a.text, string(v))
		return len(a.text) <= largest
	case *lua.LTable:
		return a.table(v, depth)
	}
	if a.resp3 {
		a.text = append(a.text, "_\r\n"...)
	} else {
		a.text = append(a.text, "$-1\r\n"...)
	}
	return true
}

// table writes a list, or the error or the status that a table stands for.
func (a *answer) table(t *lua.LTable, depth int) bool {
	if text := t.RawGetString("err"); text != lua.LNil {
		a.line('-', text.String())
		return true
	}
	if text := t.RawGetString("ok"); text != lua.LNil {
		a.line('+', text.String())
		return true
	}
	if n, ok := t.RawGetString("double").(lua.LNumber); ok && !a.resp3 {
		a.text = resp.AppendText(a.text, string(appendFloat(nil, float64(n), 17)))
		return true
	}
	n := 0
	for t.RawGetInt(n+1) != lua.LNil {
		n++
	}
	a.text = resp.AppendHeader(a.text, '*', n)
	for i := range n {
		if depth == deepest || len(a.text) > largest || !a.add(t.RawGetInt(i+1), depth+1) {
			return false
		}
	}
	return true
}

// line writes a text in one line, whatever is in it.
func (a *answer) line(kind byte, text string) {
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, text)
	a.text = append(append(append(a.text, kind), text...), "\r\n"...)
}
