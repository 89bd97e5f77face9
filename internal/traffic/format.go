package traffic

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ratelab/internal/message"
)

// format takes the lines of one file apart. There is one implementation per Format.
type format interface {
	// has reports whether there is a field of that name, as far as the first line tells.
	has(name string) bool
	// column is the number by which value knows a field; the empty name is that of the time that a format has itself.
	column(name string) (int, error)
	// cut takes the next line; its error says what was found and what is wanted, without file and line.
	cut(line []byte) error
	// value is a field of the line, valid until the next line.
	value(column int) ([]byte, error)
}

// guess finds the format from a file's first line; timeColumn tells a header of one column.
func guess(first []byte, timeColumn string) (Format, error) {
	if first[0] == '{' {
		return JSONL, nil
	}
	if new(combinedLog).take(first) {
		return Combined, nil
	}
	if timeColumn != "" && string(first) == timeColumn {
		return CSV, nil
	}
	unprintable := func(r rune) bool { return r != '\t' && message.IsControl(r) }
	if c, n := separator(first); n > 0 && bytes.IndexByte(first, c) > 0 && !bytes.ContainsFunc(first, unprintable) {
		return CSV, nil
	}
	return "", fmt.Errorf("no format can be guessed from %s; want a combined log, a CSV header or a JSON object (or "+
		"say which format it is)", message.Quote(first))
}

// record reads the fields of one file's requests.
type record struct {
	format
	time        int
	keys, costs []int // columns; none: one key for all, a cost of 1
	stamps      stamps
	joined      []byte
}

// find finds the columns that the trace names.
func (r *record) find(t Trace) (err error) {
	if r.time, err = r.column(t.Time); err != nil {
		return &FieldError{"time", err.Error()}
	}
	if r.keys, err = r.columns(t.Key); err != nil {
		return &FieldError{"key", err.Error()}
	}
	if r.costs, err = r.columns(t.Cost); err != nil {
		return &FieldError{"cost", err.Error()}
	}
	return nil
}

// columns finds the fields a and b of "a+b", unless there is one of that whole name.
func (r *record) columns(names string) (all []int, err error) {
	if names == "" {
		return nil, nil
	}
	list := []string{names}
	if !r.has(names) {
		list = summands(names)
	}
	for _, name := range list {
		column, err := r.column(name)
		if err != nil {
			return nil, err
		}
		all = append(all, column)
	}
	return all, nil
}

func summands(names string) []string {
	list := strings.Split(names, "+")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}

// stamp reads the time of the line that was cut last.
func (r *record) stamp() (instant, error) {
	text, err := r.value(r.time)
	if err != nil {
		return instant{}, err
	}
	return r.stamps.parse(bytes.TrimSpace(text))
}

// oneKey is the key of all requests where a trace names none.
var oneKey = []byte("k0")

// maxKey bounds a key's length in bytes; Redis would take 512 MB.
const maxKey = 4096

// key reads the line's key, which is valid until the next line. The values of a key of several fields, client+path,
// stand with a stroke between them: 10.0.0.1|/login. A stroke or a backslash within a value gets a backslash before it,
// so that no two different lists of values make one key. A key of one field is its value, as it is.
//
// Note: a blank between reads as well, but agents and users have blanks; percent signs before the stroke would double
// those of every escaped path.
func (r *record) key() (key []byte, err error) {
	switch len(r.keys) {
	case 0:
		return oneKey, nil
	case 1:
		key, err = r.value(r.keys[0])
	default:
		r.joined = r.joined[:0]
		for i, column := range r.keys {
			v, err := r.value(column)
			if err != nil {
				return nil, err
			}
			if i > 0 {
				r.joined = append(r.joined, '|')
			}
			r.joined = appendEscaped(r.joined, v)
		}
		key = r.joined
	}
	if err != nil {
		return nil, err
	}
	return key, checkKey(key)
}

func appendEscaped(key, value []byte) []byte {
	if bytes.IndexByte(value, '|') < 0 && bytes.IndexByte(value, '\\') < 0 {
		return append(key, value...)
	}
	for _, c := range value {
		if c == '|' || c == '\\' {
			key = append(key, '\\')
		}
		key = append(key, c)
	}
	return key
}

// checkKey refuses keys that could not be told apart in the output.
func checkKey(key []byte) error {
	switch {
	case len(key) == 0:
		return errors.New("the key is empty; want something that names the client")
	case len(key) > maxKey:
		return fmt.Errorf("key %s: %d bytes long; want at most %d", message.Quote(key), len(key), maxKey)
	}
	odd := func(c byte) bool { return c < ' ' || c >= 0x7f } // the usual key is plain ASCII
	if slices.ContainsFunc(key, odd) && bytes.ContainsFunc(key, message.IsControl) {
		return fmt.Errorf("key %s: it has control characters or is not UTF-8; want text", message.Quote(key))
	}
	return nil
}

// cost reads the line's cost, the sum of its columns.
func (r *record) cost() (sum int64, err error) {
	if len(r.costs) == 0 {
		return 1, nil
	}
	const want = "want a whole number from 1 to %d"
	for _, column := range r.costs {
		text, err := r.value(column)
		if err != nil {
			return 0, err
		}
		n, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64)
		if err != nil || n < 0 || n > MaxCost {
			return 0, fmt.Errorf("cost %s: "+want, message.Quote(text), MaxCost)
		}
		sum += n
	}
	if sum < 1 || sum > MaxCost {
		return 0, fmt.Errorf("cost %d: "+want, sum, MaxCost)
	}
	return sum, nil
}
