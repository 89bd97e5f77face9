package accesslog

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ratelab/internal/message"
)

// CSV is RFC 4180 with a header line. The separator is a comma, a semicolon or a tab.
const CSV Format = "csv"

var _ = register(layout{name: CSV, header: true, quotes: true, open: openCSV})

// isHeader reports whether a line may be the header of a CSV file. timeColumn is the trace's time column; a header may
// consist of it alone.
func isHeader(line []byte, timeColumn string) bool {
	timeColumn, _, _ = strings.Cut(timeColumn, ":")
	named := func(name string) bool { return plain(name) == plain(string(line)) }
	if named(timeColumn) || slices.ContainsFunc(timeNames, named) {
		return true
	}
	unprintable := func(r rune) bool { return r != '\t' && message.IsControl(r) }
	c, n := separator(line)
	return n > 0 && line[0] != c && !bytes.ContainsFunc(line, unprintable)
}

var quotedField = regexp.MustCompile(`"[^"]*"`)

// separator returns the likeliest separator of a header line, and how often it occurs outside quotes.
func separator(header []byte) (c byte, n int) {
	header = quotedField.ReplaceAll(header, nil)
	c = ','
	for _, s := range []byte{',', '\t', ';'} {
		if k := bytes.Count(header, []byte{s}); k > n {
			c, n = s, k
		}
	}
	return c, n
}

// table reads lines of fields in the order of a header.
//
// Note: encoding/csv was tried instead. It cannot bound the size of a record, so an unclosed quote reads the rest of
// the file into memory. And it keeps no text to quote in a message.
type table struct {
	separator byte
	plain     bool // quotes have no meaning
	header    []string
	fields    [][]byte
}

func openCSV(header []byte) (format, error) {
	t := &table{}
	t.separator, _ = separator(header)
	if err := t.split(bytes.Clone(header)); err != nil { // split unescapes in place
		return nil, err
	}
	for _, f := range t.fields {
		t.header = append(t.header, string(bytes.TrimSpace(f)))
	}
	return t, nil
}

func (t *table) names() []string { return t.header }

func (t *table) column(name string) (column, error) {
	i := slices.Index(t.header, name)
	if i < 0 {
		return nil, fmt.Errorf("no column %s in the header; want one of %s", message.Quote(name), fieldList(t))
	}
	if slices.Contains(t.header[i+1:], name) {
		return nil, fmt.Errorf("column %s is in the header twice; want names that are unique", message.Quote(name))
	}
	return func() ([]byte, error) { return t.fields[i], nil }, nil
}

func (t *table) cut(line []byte) (before []byte, err error) {
	if err := t.split(line); err != nil {
		return nil, err
	}
	if len(t.fields) != len(t.header) {
		return nil, fmt.Errorf("%s: %s; want %d, as in the header", message.Quote(line),
			message.Count(len(t.fields), "field"), len(t.header))
	}
	return nil, nil
}

// split splits a record into t.fields, which point into line. Quoted fields are unescaped in place.
func (t *table) split(line []byte) error {
	t.fields = t.fields[:0]
	for line != nil {
		var field []byte
		if !t.plain && len(line) > 0 && line[0] == '"' {
			var rest []byte
			if field, rest = unquote(line); rest == nil || len(rest) > 0 && rest[0] != t.separator {
				return fmt.Errorf("%s: text after or before a quoted field; want \"…\" around the whole field",
					message.Quote(line))
			}
			_, line = cutByte(rest, t.separator)
		} else if field, line = cutByte(line, t.separator); !t.plain && bytes.IndexByte(field, '"') >= 0 {
			return fmt.Errorf("%s: a quote inside an unquoted field; want \"…\" around the whole field",
				message.Quote(field))
		}
		t.fields = append(t.fields, field)
	}
	return nil
}

// unquote splits a quoted field off the front of b. rest is nil if the quote is not closed.
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

// W3C is W3C's extended log format with a #Fields line, as IIS and CloudFront write it.
const W3C Format = "w3c"

var _ = register(layout{
	name:   W3C,
	header: true,
	fits:   func(first []byte) bool { return bytes.HasPrefix(first, fieldsOf) },
	open:   openW3C,
})

// fieldsOf begins the line with the names of the fields. comments matches the comments that may precede that line.
var (
	fieldsOf = []byte("#Fields:")
	comments = regexp.MustCompile(`^#(Version|Software|Date|Start-Date|Remark):`)
)

// errComment is the error of a comment, which is neither a request nor a bad line.
var errComment = errors.New("a comment")

// w3cLog reads fields that are separated by blanks (IIS) or tabs (CloudFront).
type w3cLog struct {
	table
	first []byte // the line with the names of the fields
}

// openW3C reads the line #Fields: a b c.
func openW3C(header []byte) (format, error) {
	if !bytes.HasPrefix(header, fieldsOf) {
		return nil, fmt.Errorf("%s: no line #Fields: before it; want one that names the fields", message.Quote(header))
	}
	return &w3cLog{table{plain: true, header: strings.Fields(string(header))[1:]}, header}, nil
}

func (w *w3cLog) cut(line []byte) (before []byte, err error) {
	if line[0] == '#' {
		if bytes.HasPrefix(line, fieldsOf) && !bytes.Equal(line, w.first) {
			return nil, fmt.Errorf("%s: other fields than before; want a file of its own for each", message.Quote(line))
		}
		return nil, errComment
	}
	if w.separator = ' '; bytes.IndexByte(line, '\t') >= 0 {
		w.separator = '\t'
	}
	return w.table.cut(line)
}
