package accesslog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ratelab/internal/message"
)

var _ = register(layout{
	name: "jsonl",
	fits: func(first []byte) bool { return first[0] == '{' },
	open: openJSON,
})

// jsonLines reads one JSON object per line. One of its fields may hold a line of another format.
type jsonLines struct {
	object object
	fields []string // of the first line
	held   format   // nil: no field holds a line
	holder string   // the field
}

type object = map[string]json.RawMessage

// openJSON takes the first line of a file for a sample of what the others have. The line may be a bad one among others.
func openJSON(first []byte) (format, error) {
	j := &jsonLines{}
	_, err := j.cut(first)
	j.fields = paths(j.object, "", nil)
	for _, path := range j.fields {
		line, err := j.text(path)
		if line = bytes.TrimSpace(line); err != nil || len(line) == 0 {
			continue
		}
		for _, l := range layouts() {
			if l.header || l.fits == nil || !l.fits(line) {
				continue
			}
			if held, err := l.open(line); err == nil && known(held, timeNames) != "" {
				j.held, j.holder = held, path+"."
				for _, name := range held.names() {
					j.fields = append(j.fields, j.holder+name)
				}
				return j, nil
			}
		}
	}
	return j, err
}

// paths adds the fields of an object, and of the objects in it.
func paths(o object, before string, all []string) []string {
	for _, name := range slices.Sorted(maps.Keys(o)) {
		var inner object
		if json.Unmarshal(o[name], &inner) == nil && len(inner) > 0 {
			all = paths(inner, before+name+".", all)
		} else {
			all = append(all, before+name)
		}
	}
	return all
}

func (j *jsonLines) names() []string { return j.fields }

// column gives fields as text: strings without their quotes, numbers and booleans as they are written.
func (j *jsonLines) column(path string) (column, error) {
	if name, inner := strings.CutPrefix(path, j.holder); j.held != nil && inner {
		return j.held.column(name)
	}
	return func() ([]byte, error) { return j.text(path) }, nil
}

func (j *jsonLines) text(path string) ([]byte, error) {
	v := lookup(j.object, path)
	if v == nil {
		return nil, &absentError{path, j.object}
	}
	var s string
	var list []string
	switch {
	case v[0] != '"' && v[0] != '{' && v[0] != '[' && string(v) != "null":
		return v, nil
	case v[0] == '"' && json.Unmarshal(v, &s) == nil:
		return []byte(s), nil
	case json.Unmarshal(v, &list) == nil && len(list) > 0: // as a header has several values
		return []byte(strings.Join(list, ",")), nil
	}
	return nil, fmt.Errorf("field %s is %s; want a string or a number", message.Quote(path), message.Quote(v))
}

func (j *jsonLines) cut(line []byte) (before []byte, err error) {
	j.object = nil // or fields of the line before would stay
	if err := json.Unmarshal(line, &j.object); err != nil || j.object == nil {
		return nil, fmt.Errorf("%s: not a JSON object; want one {…} per line, as jq -c . FILE writes them",
			message.Quote(line))
	}
	if j.held == nil {
		return nil, nil
	}
	if line, err = j.text(strings.TrimSuffix(j.holder, ".")); err != nil {
		return nil, err
	}
	return j.held.cut(bytes.TrimSpace(line))
}

// absentError is that of a field which a line does not have. It is worded when it is read: most are dropped.
type absentError struct {
	path string
	line object
}

func (e *absentError) Error() string {
	return fmt.Sprintf("no field %s; want it in every line; there are %s", message.Quote(e.path),
		fieldList(&jsonLines{fields: paths(e.line, "", nil)}))
}

// records tells the field with a list of objects, if there is one: a file that is one object is no lines.
func (j *jsonLines) records() error {
	for _, path := range j.fields {
		var list []object
		if json.Unmarshal(lookup(j.object, path), &list) == nil && len(list) > 0 {
			return fmt.Errorf("the field %s is a list of records; want one record per line, as jq -c '.%s[]' FILE "+
				"writes them", message.Quote(path), path)
		}
	}
	return nil
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
