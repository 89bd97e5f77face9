// Package resp is the protocol of a Redis, RESP 2 and 3, as far as this program speaks it by itself: commands are
// written and read, and replies read in place. A Checker bounds what a server may answer: it follows the replies of a
// connection as they come in, and objects before anybody, such as go-redis, makes room for what is announced.
package resp

import (
	"bytes"
	"fmt"
	"strconv"
)

// What one reply may hold. Redis itself would send more, but nothing that is asked here is answered with as much.
const (
	MostText  = 64 << 20  // bytes of one text
	MostReply = 256 << 20 // bytes of one reply
	MostItems = 1 << 24   // values of one reply, in all its tables
	// Deepest is how far tables nest. Redis' Lua converts a reply on its C stack, which has so many slots
	// (LUAI_MAXCSTACK), and answers an error beyond.
	Deepest = 8000
)

// ProtocolError is an answer that no Redis gives here, in a few words. It is a net.Error, since it is of the
// connection, which is of no use any more.
type ProtocolError struct{ what string }

// Error begins as go-redis' own words do for what is not the protocol.
func (e *ProtocolError) Error() string { return "redis: can't parse reply: " + e.what }

// Timeout is false.
func (*ProtocolError) Timeout() bool { return false }

// Temporary is false.
func (*ProtocolError) Temporary() bool { return false }

// What is the objection alone.
func (e *ProtocolError) What() string { return e.what }

func refuse(format string, args ...any) error { return &ProtocolError{fmt.Sprintf(format, args...)} }

// Checker follows one connection from its first reply on. The zero value is ready.
type Checker struct {
	err  error
	skip int64   // bytes of a text, and of the end of its line, that are yet to come
	line []byte  // the beginning of a line whose end is yet to come
	open []int64 // how many values are yet to come in each table that is open
	size int64   // bytes of the reply so far
	all  int64   // values that its tables announced so far
}

// longestHeader is more than a type and a number take.
const longestHeader = 32

// Check goes on with what has just been read. An error, which is a *ProtocolError, is for good.
func (c *Checker) Check(data []byte) error {
	if c.err == nil {
		c.err = c.check(data)
	}
	return c.err
}

func (c *Checker) check(data []byte) error {
	c.size += int64(len(data))
	for len(data) > 0 {
		if c.size > MostReply {
			return refuse("more than %d bytes in one reply", MostReply)
		}
		if c.skip > 0 {
			n := min(c.skip, int64(len(data)))
			data, c.skip = data[n:], c.skip-n
			if c.skip == 0 {
				c.ended(len(data))
			}
			continue
		}
		end := lineEnd(data)
		if end < 0 {
			c.keep(data)
			return nil
		}
		line := data[:min(end, longestHeader)]
		if len(c.line) > 0 {
			c.keep(data[:end])
			line = c.line
		}
		data = data[end+1:]
		if err := c.header(line, len(data)); err != nil {
			return err
		}
		c.line = c.line[:0]
	}
	return nil
}

// lineEnd is where the first line ends, -1 where it does not. Most lines are short, for which a search costs more than
// it saves.
func lineEnd(data []byte) int {
	for i, b := range data[:min(len(data), longestHeader)] {
		if b == '\n' {
			return i
		}
	}
	return bytes.IndexByte(data, '\n')
}

// keep remembers the beginning of a line.
func (c *Checker) keep(part []byte) {
	c.line = append(c.line, part[:min(len(part), longestHeader-len(c.line))]...)
}

// header takes a whole line, or the beginning of a long one; left is how many bytes of the data come after it.
func (c *Checker) header(line []byte, left int) error {
	if len(line) < 2 {
		return refuse("the line %q", line)
	}
	switch line[0] {
	case '+', '-', ':', '_', '#', ',', '(':
		c.ended(left)
		return nil
	case '$', '!', '=':
		return c.text(line, left)
	case '*', '~', '>':
		return c.table(line, 1, left)
	case '%', '|':
		return c.table(line, 2, left)
	}
	return refuse("the line %q", line)
}

// text begins a text whose length the line says.
func (c *Checker) text(line []byte, left int) error {
	n, err := length(line)
	switch {
	case err != nil:
		return err
	case n > MostText:
		return refuse("a text of %d bytes, of which at most %d are taken", n, MostText)
	case n < 0:
		c.ended(left)
		return nil
	}
	c.skip = n + int64(len("\r\n"))
	return nil
}

// table begins a table of so many values, or pairs of them. An attribute, which comes before the reply that it is
// about, takes the place of one value more.
func (c *Checker) table(line []byte, each int64, left int) error {
	n, err := length(line)
	if err != nil {
		return err
	}
	if n > MostItems/each || c.all+n*each > MostItems {
		return refuse("a table of %d values, of which at most %d are taken in one reply", n, MostItems)
	}
	if len(c.open) == Deepest {
		return refuse("tables nested more than %d deep", Deepest)
	}
	n = max(n, 0) * each
	if line[0] == '|' {
		n++
	}
	c.all += n
	if n == 0 {
		c.ended(left)
		return nil
	}
	c.open = append(c.open, n)
	return nil
}

// ended counts a value that is complete, and the tables that are with it. left bytes of the data belong to what
// follows.
func (c *Checker) ended(left int) {
	for last := len(c.open) - 1; last >= 0; last-- {
		if c.open[last]--; c.open[last] > 0 {
			return
		}
		c.open = c.open[:last]
	}
	c.size, c.all = int64(left), 0
}

// length is the number of a header, -1 for a value that is nil. Digits up to a billion are read right here.
func length(line []byte) (int64, error) {
	digits := bytes.TrimSuffix(line[1:], []byte("\r"))
	if n, ok := short(digits); ok {
		return n, nil
	}
	n, err := strconv.ParseInt(string(digits), 10, 64)
	if err != nil || n < -1 || len(line) == longestHeader {
		return 0, refuse("the length %q", digits)
	}
	return n, nil
}

func short(digits []byte) (n int64, ok bool) {
	for _, d := range digits {
		if d < '0' || d > '9' {
			return 0, false
		}
		n = 10*n + int64(d-'0')
	}
	return n, len(digits) > 0 && len(digits) < 10
}
