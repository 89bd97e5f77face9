package traffic

import (
	"bytes"
	"fmt"

	"ratelab/internal/message"
)

// csvFile reads RFC 4180 with a header line.
//
// Note: encoding/csv was tried for this. It cannot bound a record (an unclosed quote reads the file to its end
// into memory) and keeps no text to quote in a message.
type csvFile struct {
	separator byte
	columns   int
	time      int   // column numbers, as the following
	keys      []int // none: all requests share one key
	costs     []int
	joiner    joiner
	stamps    stamps
	fields    [][]byte
}

// separator is the likeliest separator of a header line, and how often it occurs.
func separator(header []byte) (c byte, n int) {
	c = ','
	for _, s := range []byte{',', '\t', ';'} {
		if k := bytes.Count(header, []byte{s}); k > n {
			c, n = s, k
		}
	}
	return c, n
}

func newCSV(t Trace, header []byte) (*csvFile, error) {
	sep, _ := separator(header)
	c := &csvFile{separator: sep}
	header = bytes.Clone(header) // split unescapes in place
	if err := c.split(header); err != nil {
		return nil, err
	}
	names := make([]string, len(c.fields))
	for i, f := range c.fields {
		names[i] = string(bytes.TrimSpace(f))
	}
	c.columns = len(names)
	var err error
	if c.time, err = column("time", t.Time, names); err != nil {
		return nil, err
	}
	if c.keys, err = columns("key", t.Key, names); err != nil {
		return nil, err
	}
	c.costs, err = columns("cost", t.Cost, names)
	return c, err
}

// split cuts a record into c.fields, which point into line; quoted fields are unescaped in place.
func (c *csvFile) split(line []byte) error {
	c.fields = c.fields[:0]
	for {
		var field []byte
		if len(line) > 0 && line[0] == '"' {
			var rest []byte
			if field, rest = unquote(line); rest == nil || len(rest) > 0 && rest[0] != c.separator {
				return fmt.Errorf("%s: text after or before a quoted field; want \"…\" around the whole field",
					message.Quote(line))
			}
			line = rest
		} else {
			end := bytes.IndexByte(line, c.separator)
			if end < 0 {
				end = len(line)
			}
			field, line = line[:end], line[end:]
			if bytes.IndexByte(field, '"') >= 0 {
				return fmt.Errorf("%s: a quote inside an unquoted field; want \"…\" around the whole field",
					message.Quote(field))
			}
		}
		c.fields = append(c.fields, field)
		if len(line) == 0 {
			return nil
		}
		line = line[1:]
	}
}

// unquote takes a quoted field off the front of b. rest is nil where the quote is not closed.
func unquote(b []byte) (field, rest []byte) {
	field = b[1:1]
	for i := 1; i < len(b); i++ {
		if b[i] != '"' {
			field = append(field, b[i])
			continue
		}
		if i+1 < len(b) && b[i+1] == '"' {
			field = append(field, '"')
			i++
			continue
		}
		return field, b[i+1:]
	}
	return field, nil
}

// record implements format.
func (c *csvFile) record(line []byte) (record, error) {
	if err := c.split(line); err != nil {
		return record{}, err
	}
	if len(c.fields) != c.columns {
		return record{}, fmt.Errorf("%s: %s; want %d, as in the header", message.Quote(line),
			message.Count(len(c.fields), "field"), c.columns)
	}
	at, err := c.stamps.parse(bytes.TrimSpace(c.fields[c.time]))
	if err != nil {
		return record{}, err
	}
	r := record{at: at, key: oneKey, cost: 1}
	if len(c.keys) > 0 {
		r.key, _ = c.joiner.join(len(c.keys), func(i int) ([]byte, error) { return c.fields[c.keys[i]], nil })
	}
	if err := checkKey(r.key); err != nil {
		return record{}, err
	}
	r.cost, err = c.cost()
	return r, err
}

func (c *csvFile) cost() (int64, error) {
	if len(c.costs) == 0 {
		return 1, nil
	}
	sum := int64(0)
	for _, i := range c.costs {
		n, err := parseCost(c.fields[i])
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, checkCost(sum)
}

// notes implements format.
func (c *csvFile) notes() []string { return c.stamps.notes() }
