package resp

import (
	"bytes"
	"math"
	"strconv"
)

// Reply follows the replies of RESP2, one after another, in pieces of any size. It stores no texts.
type Reply struct {
	Begun  bool // a part of a reply has arrived
	Values int  // values of the reply that have not begun
	Tables int  // tables of the reply until now
	Skip   int  // bytes of a text and its line end that have not arrived
	line   []byte
}

// longestHeader is how many bytes of a line are stored: enough for a type and a number.
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

// begin reads the line with which a value begins, without its end.
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
