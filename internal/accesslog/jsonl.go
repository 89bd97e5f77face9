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

// jsonLines reads one JSON object per line. One of the fields may hold a line of another format.
type jsonLines struct {
	object object
	fields []string // the names of the first line's fields
	held   format   // the reader of the line in a field; nil: no field holds a line
	holder string   // the name of that field, with a dot
}

type object = map[string]json.RawMessage

// openJSON takes the fields of the file's first line as those of all lines. The first line may be bad; then the fields
// are empty and openJSON also returns an error.
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

// paths appends the dotted names of an object's fields, including those of the objects in it.
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

// column returns a field as text: strings without quotes, numbers and booleans as the line has them.
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
	case json.Unmarshal(v, &list) == nil && len(list) > 0: // for instance a header with several values
		return []byte(strings.Join(list, ",")), nil
	}
	return nil, fmt.Errorf("field %s is %s; want a string or a number", message.Quote(path), message.Quote(v))
}

func (j *jsonLines) cut(line []byte) (before []byte, err error) {
	j.object = nil // fields of the line before must not remain
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

// absentError is the error of a field that a line does not have. The text is built only when needed, since most of
// these errors are dropped.
type absentError struct {
	path string
	line object
}

func (e *absentError) Error() string {
	return fmt.Sprintf("no field %s; want it in every line; there are %s", message.Quote(e.path),
		fieldList(&jsonLines{fields: paths(e.line, "", nil)}))
}

// records returns an error if a field of the first line is a list of objects: such a file is one object, not lines.
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

// lookup finds a field by its name or by its dotted path. It returns nil if the object has no such field.
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
