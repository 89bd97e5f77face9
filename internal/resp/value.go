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
	Double
	Error
	Array
)

// Value is what a Scanner reads, in place: Text and Items are valid until what it was read from changes.
type Value struct {
	Kind  Kind
	Int   int64
	Text  string
	Float float64
	Items []Value
}

// What String shows of a value, whatever a server makes of it.
const (
	mostItems = 8   // of a table
	mostDepth = 4   // of tables within tables
	mostText  = 400 // bytes, from which on the rest is left out
)

// String shows the value as redis-cli would, shortened.
func (v Value) String() string { return string(v.append(nil, 0)) }

func (v Value) append(text []byte, depth int) []byte {
	switch v.Kind {
	case Nil:
		return append(text, "(nil)"...)
	case Int:
		return strconv.AppendInt(text, v.Int, 10)
	case Double:
		return strconv.AppendFloat(text, v.Float, 'g', -1, 64)
	case Error:
		return append(append(text, "(error) "...), message.Bare(v.Text)...)
	case Array:
		return v.appendItems(text, depth)
	}
	return append(text, message.Quote(v.Text)...)
}

func (v Value) appendItems(text []byte, depth int) []byte {
	text = append(text, '[')
	for i, item := range v.Items {
		if i > 0 {
			text = append(text, ", "...)
		}
		if i == mostItems || depth == mostDepth || len(text) > mostText {
			text = append(text, "…"...)
			break
		}
		text = item.append(text, depth+1)
	}
	return append(text, ']')
}
