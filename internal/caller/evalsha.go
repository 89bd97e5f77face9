package caller

import (
	"strconv"

	"ratelab/internal/resp"
	"ratelab/internal/script"
)

// evalsha is one way of calling a script as the server reads it, written out as far as no call changes it.
type evalsha struct {
	pieces []piece
	end    []byte
}

// piece is text that is always the same, and behind it one argument that changes.
type piece struct {
	fixed    []byte
	template script.Template
}

func newEvalsha(sha string, c script.Call) evalsha {
	fixed := resp.AppendHeader(nil, '*', 3+len(c.Keys)+len(c.Args))
	for _, text := range []string{"EVALSHA", sha, strconv.Itoa(len(c.Keys))} {
		fixed = resp.AppendText(fixed, text)
	}
	var e evalsha
	for _, templates := range [][]script.Template{c.Keys, c.Args} {
		for _, t := range templates {
			if text, ok := t.Constant(); ok {
				fixed = resp.AppendText(fixed, text)
				continue
			}
			e.pieces = append(e.pieces, piece{fixed, t})
			fixed = nil
		}
	}
	e.end = fixed
	return e
}

// append writes one call to dst; scratch is room for an argument, given back to be used again.
func (e evalsha) append(dst, scratch []byte, v script.Vars) (out, room []byte) {
	for _, p := range e.pieces {
		dst = append(dst, p.fixed...)
		scratch = p.template.Append(scratch[:0], v)
		dst = resp.AppendText(dst, scratch)
	}
	return append(dst, e.end...), scratch
}
