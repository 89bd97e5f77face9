package accesslog

import (
	"encoding/json"
	"fmt"
	"strings"

	"ratelab/internal/message"
)

var _ = register(layout{
	name: "jsonl",
	fits: func(first []byte) bool { return first[0] == '{' },
	open: openJSON,
})

// jsonLines reads one JSON object per line.
type jsonLines struct{ object object }

type object = map[string]json.RawMessage

// openJSON takes the first line of a file for a sample of what the others have. The line may be a bad one among others.
func openJSON(first []byte) (format, error) {
	j := &jsonLines{}
	_, err := j.cut(first)
	return j, err
}

func (j *jsonLines) has(name string) bool { return lookup(j.object, name) != nil }

// column gives fields as text: strings without their quotes, numbers and booleans as they are written.
func (j *jsonLines) column(path string) (column, error) {
	return func() ([]byte, error) {
		v := lookup(j.object, path)
		if v == nil || string(v) == "null" {
			return nil, fmt.Errorf("no field %s; want it in every line", message.Quote(path))
		}
		var s string
		switch {
		case v[0] != '"' && v[0] != '{' && v[0] != '[':
			return v, nil
		case json.Unmarshal(v, &s) == nil:
			return []byte(s), nil
		}
		return nil, fmt.Errorf("field %s is %s; want a string or a number", message.Quote(path), message.Quote(v))
	}, nil
}

func (j *jsonLines) cut(line []byte) (before []byte, err error) {
	j.object = nil // or fields of the line before would stay
	if err := json.Unmarshal(line, &j.object); err != nil || j.object == nil {
		return nil, fmt.Errorf("%s: not a JSON object; want one {…} per line, as jq -c . FILE writes them",
			message.Quote(line))
	}
	return nil, nil
}

// lookup finds a field by its name, or by its path with dots; nil where there is none.
func lookup(o object, path string) json.RawMessage {
	if v, ok := o[path]; ok {
		return v
	}
	head, rest, dotted := strings.Cut(path, ".")
	var inner object
	if !dotted || json.Unmarshal(o[head], &inner) != nil {
		return nil
	}
	return lookup(inner, rest)
}
