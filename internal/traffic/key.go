package traffic

import (
	"bytes"
	"strings"
)

// The values of a key of several fields, client+path, stand with a stroke between them: 10.0.0.1|/login. A stroke or a
// backslash within a value gets a backslash before it, so that no two different lists of values make one key. A key of
// one field is its value, as it is.
//
// Note: a blank between reads as well, but agents and users have blanks; percent signs before the stroke would double
// those of every escaped path.
const (
	keySeparator = '|'
	keyEscape    = '\\'
)

// parts cuts "a+b" into a and b, unless there is a field of that whole name. Of nothing there are none.
func parts(names string, exists func(string) bool) []string {
	if names == "" {
		return nil
	}
	if exists(names) {
		return []string{names}
	}
	cut := strings.Split(names, "+")
	for i := range cut {
		cut[i] = strings.TrimSpace(cut[i])
	}
	return cut
}

// joiner makes one key of a request's values, in memory that it uses again.
type joiner struct{ key []byte }

// join gives the key of n values; it is valid until the next call.
func (j *joiner) join(n int, value func(i int) ([]byte, error)) ([]byte, error) {
	if n == 1 {
		return value(0)
	}
	j.key = j.key[:0]
	for i := range n {
		v, err := value(i)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			j.key = append(j.key, keySeparator)
		}
		j.add(v)
	}
	return j.key, nil
}

func (j *joiner) add(value []byte) {
	if bytes.IndexByte(value, keySeparator) < 0 && bytes.IndexByte(value, keyEscape) < 0 {
		j.key = append(j.key, value...)
		return
	}
	for _, c := range value {
		if c == keySeparator || c == keyEscape {
			j.key = append(j.key, keyEscape)
		}
		j.key = append(j.key, c)
	}
}
