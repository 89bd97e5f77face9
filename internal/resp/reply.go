package resp

import (
	"bytes"
	"math"
	"strconv"
)

// Reply follows one reply after the other in RESP2 as they come in, in pieces of any size. It keeps no texts.
type Reply struct {
	Begun  bool // a part of a reply has come
	Values int  // of the reply, that are yet to begin
	Tables int  // of the reply, so far
	Skip   int  // bytes of a text, and of the end of its line, that are yet to come
	line   []byte
}

// longestHeader is how much of a line is kept: more than a type and a number.
const longestHeader = 32

// Next returns how much of data belongs to the reply, and whether the reply ends there. The error is a *ProtocolError.
func (r *Reply) Next(data []byte) (n int, ends bool, err error) {
	if !r.Begun {
		*r = Reply{Begun: true, Values: 1, line: r.line[:0]}
	}
	for n < len(data) {
		if r.Skip > 0 {
			step := min(r.Skip, len(data)-n)
			n, r.Skip = n+step, r.Skip-step
		} else {
			piece, _, whole := bytes.Cut(data[n:], []byte("\n"))
			n += len(piece)
			r.line = append(r.line, piece[:min(len(piece), longestHeader-len(r.line))]...)
			if !whole {
				return n, false, nil
			}
			n++
			if err := r.begin(bytes.TrimRight(r.line, "\r")); err != nil {
				return n, false, err
			}
			r.line = r.line[:0]
		}
		if r.Values == 0 && r.Skip == 0 {
			r.Begun = false
			return n, true, nil
		}
	}
	return n, false, nil
}

// begin takes the line with which a value begins, without its end.
func (r *Reply) begin(line []byte) error {
	r.Values--
	switch kind := string(line[:min(1, len(line))]); kind {
	case "+", "-", ":":
		return nil
	case "$", "*":
		count, err := strconv.Atoi(string(line[1:]))
		if err != nil || count < -1 || count > math.MaxInt32 {
			return refuse(line)
		}
		if kind == "*" {
			r.Tables++
			r.Values += max(count, 0)
		} else if count >= 0 {
			r.Skip = count + len("\r\n")
		}
		return nil
	}
	return refuse(line)
}
