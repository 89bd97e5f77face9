package accesslog

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"ratelab/internal/message"
)

// W3C is W3C's extended log format with a #Fields line, as IIS and CloudFront write it.
const W3C Format = "w3c"

var _ = register(layout{
	name:   W3C,
	header: true,
	fits:   func(first []byte) bool { return bytes.HasPrefix(first, fieldsOf) },
	open:   openW3C,
})

// fieldsOf begins the line that names the fields, and comments those that may precede it.
var (
	blank    = []byte{' '}
	tab      = []byte{'\t'}
	fieldsOf = []byte("#Fields:")
	comments = regexp.MustCompile(`^#(Version|Software|Date|Start-Date|Remark):`)
)

// errComment is that of a line which is neither a request nor a bad line.
var errComment = errors.New("a comment")

// w3cLog reads fields that stand between blanks (IIS) or tabs (CloudFront).
type w3cLog struct {
	table
	header []byte // the line that names the fields
}

// openW3C takes the line #Fields: a b c.
func openW3C(header []byte) (format, error) {
	if !bytes.HasPrefix(header, fieldsOf) {
		return nil, fmt.Errorf("%s: no line #Fields: before it; want one that names the fields", message.Quote(header))
	}
	return &w3cLog{table{plain: true, names: strings.Fields(string(header))[1:]}, header}, nil
}

func (w *w3cLog) cut(line []byte) (before []byte, err error) {
	if line[0] == '#' {
		if bytes.HasPrefix(line, fieldsOf) && !bytes.Equal(line, w.header) {
			return nil, fmt.Errorf("%s: other fields than before; want a file of its own for each", message.Quote(line))
		}
		return nil, errComment
	}
	if w.separator = blank; bytes.Contains(line, tab) {
		w.separator = tab
	}
	return w.table.cut(line)
}
