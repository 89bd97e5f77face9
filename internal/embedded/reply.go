package embedded

import (
	"bytes"
	"strconv"
	"strings"

	"ratelab/internal/luavm"
	"ratelab/internal/resp"
)

// read takes the first RESP2 reply from text, and converts it to a script's value. A status becomes a table, and nil
// becomes false. An error is returned as problem, even inside an array.
func read(text []byte) (value luavm.Value, problem string, rest []byte) {
	end := bytes.IndexByte(text, '\n')
	if end < 2 {
		return luavm.Nil, "invalid request", nil
	}
	line, rest := text[1:end-1], text[end+1:]
	switch text[0] {
	case '+':
		return told("ok", string(line)), "", rest
	case '-':
		return luavm.Nil, string(line), rest
	}
	n, err := strconv.Atoi(string(line))
	switch {
	case err != nil:
		return luavm.Nil, "invalid request", nil
	case text[0] == ':':
		return luavm.Int(n), "", rest
	case n < 0:
		return luavm.False, "", rest
	case text[0] == '$' && len(rest) >= n+2:
		return luavm.String(string(rest[:n])), "", rest[n+2:]
	case text[0] == '*':
		items := luavm.NewTable(0, 0)
		for i := range n {
			if value, problem, rest = read(rest); problem != "" {
				return luavm.Nil, problem, rest
			}
			items.SetInt(i+1, value)
		}
		return items.Value(), "", rest
	}
	return luavm.Nil, "invalid request", nil
}

// Limits of the values that a script returns. Tables may be cyclic.
const (
	deepest = 100
	largest = 512 << 20 // bytes, as for a string
)

// answer is the reply of a script, encoded in the connection's protocol.
type answer struct {
	text  []byte
	resp3 bool
}

// add appends a value. It returns false if the value is too large. A table ends before its first nil. Values that Redis
// cannot represent become nil.
func (a *answer) add(value luavm.Value, depth int) bool {
	switch value.Kind() {
	case luavm.KindNumber:
		n, _ := value.Float()
		a.text = resp.AppendHeader(a.text, ':', int(luavm.Cut(n)))
		return true
	case luavm.KindString:
		text, _ := value.Text()
		a.text = resp.AppendText(a.text, text)
		return len(a.text) <= largest
	case luavm.KindTable:
		return a.table(value.Table(), depth)
	}
	switch {
	case value == luavm.True:
		a.text = resp.AppendHeader(a.text, ':', 1)
	case a.resp3:
		a.text = append(a.text, "_\r\n"...)
	default:
		a.text = append(a.text, "$-1\r\n"...)
	}
	return true
}

// table appends the reply that a table represents: an error, a status, a number or a text, or otherwise a list. RESP2
// has lists instead of maps and sets.
func (a *answer) table(t *luavm.Table, depth int) bool {
	if text, ok := t.GetName("err").Text(); ok {
		a.line('-', text)
		return true
	}
	if text, ok := t.GetName("ok").Text(); ok {
		a.line('+', text)
		return true
	}
	if n, ok := t.GetName("double").Float(); ok {
		a.text = resp.AppendText(a.text, string(luavm.AppendFloat(nil, n, 17)))
		return true
	}
	of, set, items := t.GetName("map").Table(), t.GetName("set").Table(), []luavm.Value(nil)
	text, isText := longText(t)
	switch {
	case of != nil:
		for key, item, _ := of.Next(luavm.Nil); !key.IsNil(); key, item, _ = of.Next(key) {
			items = append(items, key, item)
		}
	case set != nil:
		for key, _, _ := set.Next(luavm.Nil); !key.IsNil(); key, _, _ = set.Next(key) {
			items = append(items, key)
		}
	case isText:
		a.text = resp.AppendText(a.text, text)
		return len(a.text) <= largest
	default:
		for i := 1; !t.GetInt(i).IsNil(); i++ {
			items = append(items, t.GetInt(i))
		}
	}
	a.text = resp.AppendHeader(a.text, '*', len(items))
	for _, item := range items {
		if depth == deepest || len(a.text) > largest || !a.add(item, depth+1) {
			return false
		}
	}
	return true
}

// longText returns the text of a table that represents a large number, or a text with a format.
func longText(t *luavm.Table) (text string, ok bool) {
	if text, ok = t.GetName("big_number").Text(); ok {
		return oneLine.Replace(text), true
	}
	if of := t.GetName("verbatim_string").Table(); of != nil && of.GetName("format").Kind() == luavm.KindString {
		return of.GetName("string").Text()
	}
	return "", false
}

var oneLine = strings.NewReplacer("\r", " ", "\n", " ")

// line appends a text as one line. A zero byte ends the text, as in C.
func (a *answer) line(kind byte, text string) {
	text, _, _ = strings.Cut(text, "\x00")
	if kind == '-' {
		text = strings.TrimRight(text, "\r\n")
	}
	a.text = append(append(append(a.text, kind), oneLine.Replace(text)...), "\r\n"...)
}
