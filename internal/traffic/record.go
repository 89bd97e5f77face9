package traffic

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"ratelab/internal/message"
)

// record is one request as the file has it. key may point into the line.
type record struct {
	at   instant
	key  []byte
	cost int64
}

// format reads the records of one file. There is one implementation per Format.
type format interface {
	// record reads a line; its error says what was found and what is wanted, without file and line.
	record(line []byte) (record, error)
	// notes tells what was found out about the file.
	notes() []string
}

// guess finds the format from a file's first line; timeColumn tells a header of one column.
func guess(first []byte, timeColumn string) (Format, error) {
	if first[0] == '{' {
		return JSONL, nil
	}
	if _, ok := splitCombined(first); ok {
		return Combined, nil
	}
	if timeColumn != "" && string(first) == timeColumn {
		return CSV, nil
	}
	if c, n := separator(first); n > 0 && bytes.IndexByte(first, c) > 0 && printableText(first) {
		return CSV, nil
	}
	return "", fmt.Errorf("no format can be guessed from %s; want a combined log, a CSV header or a JSON object (or "+
		"say which format it is)", message.Quote(first))
}

func printableText(line []byte) bool {
	return !bytes.ContainsFunc(line, func(r rune) bool { return r != '\t' && message.IsControl(r) })
}

// newFormat makes the reader for the format f, of which first is the first line. It reports whether that line is
// a header rather than a record.
func newFormat(t Trace, f Format, first []byte) (r format, header bool, err error) {
	switch f {
	case Combined:
		return newCombined(t), false, nil
	case JSONL:
		return newJSONL(t), false, nil
	default:
		c, err := newCSV(t, first)
		return c, true, err
	}
}

// parseCost reads a whole number of permits; the sum of a request's columns is checked by checkCost.
func parseCost(text []byte) (int64, error) {
	n, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64)
	if err != nil || n < 0 || n > MaxCost {
		return 0, fmt.Errorf("cost %s: want a whole number from 1 to %d", message.Quote(text), MaxCost)
	}
	return n, nil
}

func checkCost(n int64) error {
	if n < 1 || n > MaxCost {
		return fmt.Errorf("cost %d: want a whole number from 1 to %d", n, MaxCost)
	}
	return nil
}

// maxKey bounds a key's length in bytes; Redis would take 512 MB.
const maxKey = 4096

// checkKey refuses keys that could not be told apart in the output.
func checkKey(key []byte) error {
	switch {
	case len(key) == 0:
		return errors.New("the key is empty; want something that names the client")
	case len(key) > maxKey:
		return fmt.Errorf("key %s: %d bytes long; want at most %d", message.Quote(key), len(key), maxKey)
	}
	for _, c := range key { // the usual key is plain ASCII
		if c < ' ' || c >= 0x7f {
			if bytes.ContainsFunc(key, message.IsControl) {
				return fmt.Errorf("key %s: it has control characters or is not UTF-8; want text", message.Quote(key))
			}
			return nil
		}
	}
	return nil
}

// oneKey is the key of all requests where a trace names none.
var oneKey = []byte("k0")
