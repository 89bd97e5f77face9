package accesslog

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ratelab/internal/message"
)

// csvFile reads RFC 4180 with a header line.
//
// Note: encoding/csv was tried for this. It cannot bound a record (an unclosed quote reads the file to its end
// into memory) and keeps no text to quote in a message.
//
// It reads W3C's extended log format as well, whose fields stand between blanks (IIS) or tabs (CloudFront).
type csvFile struct {
	separator byte
	names     []string
	fields    [][]byte
	w3c       []byte // the line that names the fields, where there are lines of comments and quotes mean nothing
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

func newCSV(header []byte) (*csvFile, error) {
	sep, _ := separator(header)
	c := &csvFile{separator: sep}
	if err := c.split(bytes.Clone(header)); err != nil { // split unescapes in place
		return nil, err
	}
	for _, f := range c.fields {
		c.names = append(c.names, string(bytes.TrimSpace(f)))
	}
	return c, nil
}

// newW3C takes the line #Fields: a b c.
func newW3C(fields []byte) *csvFile {
	return &csvFile{w3c: bytes.Clone(fields), names: strings.Fields(string(fields))[1:]}
}

// errComment is that of a line which is neither a request nor a bad line.
var errComment = errors.New("a comment")

func (c *csvFile) another() format {
	return &csvFile{separator: c.separator, names: c.names, w3c: c.w3c}
}

func (c *csvFile) has(name string) bool { return slices.Contains(c.names, name) }

func (c *csvFile) column(name string) (int, error) {
	i := slices.Index(c.names, name)
	if i < 0 {
		return 0, fmt.Errorf("no column %s in the header; want one of %s", message.Quote(name), c.shown())
	}
	if slices.Contains(c.names[i+1:], name) {
		return 0, fmt.Errorf("column %s is in the header twice; want names that are unique", message.Quote(name))
	}
	return i, nil
}

// shown lists the header's names, but not hundreds of them.
func (c *csvFile) shown() string {
	const most = 12
	var list []string
	for _, n := range c.names[:min(len(c.names), most)] {
		list = append(list, message.Quote(n))
	}
	if len(c.names) > most {
		list = append(list, "…")
	}
	return strings.Join(list, ", ")
}

func (c *csvFile) cut(line []byte) error {
	if c.w3c != nil {
		if line[0] == '#' {
			if bytes.HasPrefix(line, fieldsOf) && !bytes.Equal(line, c.w3c) {
				return fmt.Errorf("%s: other fields than before; want a file of its own for each", message.Quote(line))
			}
			return errComment
		}
		if c.separator = ' '; bytes.IndexByte(line, '\t') >= 0 {
			c.separator = '\t'
		}
	}
	if err := c.split(line); err != nil {
		return err
	}
	if len(c.fields) != len(c.names) {
		return fmt.Errorf("%s: %s; want %d, as in the header", message.Quote(line),
			message.Count(len(c.fields), "field"), len(c.names))
	}
	return nil
}

func (c *csvFile) value(column int) ([]byte, error) { return c.fields[column], nil }

// split cuts a record into c.fields, which point into line; quoted fields are unescaped in place.
func (c *csvFile) split(line []byte) error {
	c.fields = c.fields[:0]
	for {
		var field []byte
		if c.w3c == nil && len(line) > 0 && line[0] == '"' {
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
			if c.w3c == nil && bytes.IndexByte(field, '"') >= 0 {
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
		if b[i] == '"' {
			if i++; i == len(b) || b[i] != '"' {
				return field, b[i:]
			}
		}
		field = append(field, b[i])
	}
	return field, nil
}
