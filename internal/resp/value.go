package resp

import (
	"strconv"

	"ratelab/internal/message"
)

// Kind is the type of a value.
type Kind uint8

// The kinds that a script's return value can become.
const (
	Nil Kind = iota
	Int
	String // bulk and status
	Error
	Array
)

// Value is what a Scanner reads, in place: Text and Items are valid until what it was read from changes.
type Value struct {
	Kind  Kind
	Int   int64
	Text  string
	Items []Value
}

// String shows the value as redis-cli would, shortened: whatever a server makes of it is a line that one can read.
func (v Value) String() string { return string(v.append(nil, 0)) }

func (v Value) append(text []byte, depth int) []byte {
	switch v.Kind {
	case Nil:
		return append(text, "(nil)"...)
	case Int:
		return strconv.AppendInt(text, v.Int, 10)
	case Error:
		return append(append(text, "(error) "...), message.Bare(v.Text)...)
	case String:
		return append(text, message.Quote(v.Text)...)
	}
	text = append(text, '[')
	for i, item := range v.Items {
		if i > 0 {
			text = append(text, ", "...)
		}
		if i == 8 || depth == 4 || len(text) > 400 {
			text = append(text, "…"...)
			break
		}
		text = item.append(text, depth+1)
	}
	return append(text, ']')
}
