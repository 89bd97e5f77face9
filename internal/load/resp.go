package load

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"ratelab/internal/resp"
	"ratelab/internal/script"
)

// errShort: the reply goes on beyond what has been read of it.
var errShort = errors.New("reply cut short")

// mostItems bounds the values of one reply, which are kept in memory until it is decoded: it is one decision.
const mostItems = 1 << 20

// parser reads a RESP 2 reply to a script. Items of tables come from a slab that the next reply uses again.
type parser struct {
	data  []byte
	slab  []script.Reply
	ahead int64 // values that open tables have announced and that are yet to be read
}

// parse reads the one reply that data begins with and says how long it is. It is errShort where data ends too early.
func (p *parser) parse(data []byte) (r script.Reply, length int, err error) {
	p.data, p.slab, p.ahead = data, p.slab[:0], 0
	r, err = p.value(0)
	return r, len(data) - len(p.data), err
}

func (p *parser) value(depth int) (script.Reply, error) {
	end := bytes.IndexByte(p.data, '\n')
	if end < 0 {
		return script.Reply{}, errShort
	}
	if end < 2 || p.data[end-1] != '\r' || depth > resp.Deepest {
		return script.Reply{}, p.unknown(p.data[:end])
	}
	kind, line := p.data[0], p.data[1:end-1]
	p.data = p.data[end+1:]
	switch kind {
	case '+':
		return script.Reply{Kind: script.String, Text: string(line)}, nil
	case '-':
		return script.Reply{Kind: script.Error, Text: string(line)}, nil
	}
	n, ok := integer(line)
	switch {
	case ok && kind == ':':
		return script.Reply{Kind: script.Int, Int: n}, nil
	case ok && n == -1 && (kind == '$' || kind == '*'):
		return script.Reply{Kind: script.Nil}, nil
	case ok && n >= 0 && n <= resp.MostText && kind == '$':
		return p.bulk(n)
	case ok && n >= 0 && n <= mostItems && kind == '*':
		return p.items(n, depth)
	}
	return script.Reply{}, p.unknown(append([]byte{kind}, line...))
}

// unknown words a line that is no reply. The prefix is that of go-redis, by which such errors are told.
func (*parser) unknown(line []byte) error {
	return fmt.Errorf("redis: can't parse reply line %.60q", line)
}

func (p *parser) bulk(n int64) (script.Reply, error) {
	if int64(len(p.data)) < n+2 {
		return script.Reply{}, errShort
	}
	text := string(p.data[:n])
	p.data = p.data[n+2:]
	return script.Reply{Kind: script.String, Text: text}, nil
}

// leastValue is how many bytes a value takes at least.
const leastValue = 3

// items reads the n values of a table. Room is made for no more values than the data can hold.
func (p *parser) items(n int64, depth int) (script.Reply, error) {
	p.ahead += n
	if p.ahead > int64(len(p.data))/leastValue {
		return script.Reply{}, errShort
	}
	from := len(p.slab)
	for range n {
		p.slab = append(p.slab, script.Reply{})
	}
	items := p.slab[from : from+int(n) : from+int(n)]
	for i := range items {
		p.ahead--
		var err error
		if items[i], err = p.value(depth + 1); err != nil {
			return script.Reply{}, err
		}
	}
	return script.Reply{Kind: script.Array, Items: items}, nil
}

// integer reads a decimal number of 18 digits at the most by itself, a longer one with more care.
func integer(line []byte) (int64, bool) {
	digits, negative := line, false
	if len(digits) > 0 && digits[0] == '-' {
		digits, negative = digits[1:], true
	}
	if len(digits) == 0 || len(digits) > 18 {
		n, err := strconv.ParseInt(string(line), 10, 64)
		return n, err == nil
	}
	n := int64(0)
	for _, d := range digits {
		if d < '0' || d > '9' {
			return 0, false
		}
		n = 10*n + int64(d-'0')
	}
	if negative {
		n = -n
	}
	return n, true
}
