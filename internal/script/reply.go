package script

import (
	"errors"
	"fmt"
	"strconv"

	"ratelab/internal/limit"
	"ratelab/internal/wording"
)

// Kind is the type of a reply.
type Kind uint8

// The kinds of reply that a script's return value can become.
const (
	Nil Kind = iota
	Int
	String // bulk and status
	Double
	Error
	Array
)

// Reply is one RESP value, read in place: Text and Items are valid until the next batch is decoded.
type Reply struct {
	Kind  Kind
	Int   int64
	Text  string
	Float float64
	Items []Reply
}

// What String shows of a reply, whatever a script makes of it.
const (
	mostItems = 8   // of a table
	mostDepth = 4   // of tables within tables
	mostText  = 400 // bytes, from which on the rest is left out
)

// String shows the reply as redis-cli would, shortened.
func (r Reply) String() string { return string(r.append(nil, 0)) }

func (r Reply) append(text []byte, depth int) []byte {
	switch r.Kind {
	case Nil:
		return append(text, "(nil)"...)
	case Int:
		return strconv.AppendInt(text, r.Int, 10)
	case Double:
		return strconv.AppendFloat(text, r.Float, 'g', -1, 64)
	case Error:
		return append(append(text, "(error) "...), wording.Bare(r.Text)...)
	case Array:
		return r.appendItems(text, depth)
	}
	return append(text, wording.Quote(r.Text)...)
}

func (r Reply) appendItems(text []byte, depth int) []byte {
	text = append(text, '[')
	for i, item := range r.Items {
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

var errShape = errors.New("want {allowed, remaining, retry_after_us, reset_after_us} or the same with delay_us, all integers")

// Contract decodes the reply of a script that keeps to the Lua contract: four integers, five from a shaper.
func Contract(r Reply) (limit.Decision, error) {
	if r.Kind == Error {
		return limit.Decision{}, errors.New(r.Text)
	}
	if r.Kind != Array || len(r.Items) != 4 && len(r.Items) != 5 {
		return limit.Decision{}, fmt.Errorf("reply %v: %w", r, errShape)
	}
	for i := range r.Items {
		if r.Items[i].Kind != Int {
			return limit.Decision{}, fmt.Errorf("reply %v: %w", r, errShape)
		}
	}
	verdict := r.Items[0].Int
	if verdict < -1 || verdict > 1 {
		return limit.Decision{}, fmt.Errorf("reply %v: allowed is %d; want 1, 0 or -1", r, verdict)
	}
	d := limit.Decision{
		Verdict:      limit.Verdict(verdict),
		Remaining:    r.Items[1].Int,
		RetryAfterUS: r.Items[2].Int,
		ResetAfterUS: r.Items[3].Int,
	}
	if len(r.Items) == 5 {
		d.DelayUS = r.Items[4].Int
	}
	return d, nil
}
