package redisclock

import (
	"bytes"
	"strconv"

	"ratelab/internal/resp"
)

// reply follows one reply of the server as it comes in, in RESP2, in whatever pieces.
type reply struct {
	begun  bool
	values int    // yet to begin
	skip   int    // bytes of a text, and of the end of its line, yet to come
	line   []byte // of a line whose end has not come
}

// longestLine is what is kept of a line: more than a type and a number.
const longestLine = 32

// next says how much of data belongs to the reply, and whether it ends there.
func (r *reply) next(data []byte) (n int, ends bool, err error) {
	if !r.begun {
		*r = reply{begun: true, values: 1, line: r.line[:0]}
	}
	for n < len(data) {
		if r.skip > 0 {
			step := min(r.skip, len(data)-n)
			n, r.skip = n+step, r.skip-step
		} else {
			end := bytes.IndexByte(data[n:], '\n')
			piece := data[n:]
			if end >= 0 {
				piece = piece[:end+1]
			}
			n += len(piece)
			r.line = append(r.line, piece[:min(len(piece), longestLine-len(r.line))]...)
			if end < 0 {
				return n, false, nil
			}
			if err := r.begin(r.line); err != nil {
				return n, false, err
			}
			r.line = r.line[:0]
		}
		if r.values == 0 && r.skip == 0 {
			r.begun = false
			return n, true, nil
		}
	}
	return n, false, nil
}

// begin takes the line with which a value begins.
func (r *reply) begin(line []byte) error {
	r.values--
	switch line[0] {
	case '+', '-', ':':
		return nil
	case '$', '*':
		count, err := strconv.Atoi(string(bytes.TrimRight(line[1:], "\r\n")))
		if err != nil || count < -1 {
			return resp.Refuse("the length %.40q", line)
		}
		if line[0] == '$' && count >= 0 {
			r.skip = count + len("\r\n")
		} else if line[0] == '*' {
			r.values += max(count, 0)
		}
		return nil
	}
	return resp.Refuse("the line %.40q", line)
}
