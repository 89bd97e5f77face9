package scenarios

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// decoder collects the problems of one file.
type decoder struct {
	file     string
	problems Errors
}

// value is a YAML node and the path under which messages name it. Its methods check and convert; where they
// report false the problem is noted already, and the caller goes on to find others.
//
// Note: decoding into tagged structs was the first idea. It stops at the first type error of a value, does not
// tell a missing field from a zero, and knows no columns.
type value struct {
	d    *decoder
	node *yaml.Node
	path string
}

// bad notes a problem with v.
func (v value) bad(format string, args ...any) {
	v.d.problems = append(v.d.problems, Problem{
		File: v.d.file, Line: v.node.Line, Column: v.node.Column, Field: v.path, Message: fmt.Sprintf(format, args...),
	})
}

// shown is v in a message.
func (v value) shown() string {
	switch {
	case v.node.Kind == yaml.MappingNode:
		return "a mapping"
	case v.node.Kind == yaml.SequenceNode:
		return "a list"
	case v.isNull():
		return "nothing"
	case v.isQuoted():
		return quote(v.node.Value) + " in quotes"
	}
	return quote(v.node.Value)
}

// quote shortens s and escapes what would disturb a terminal.
func quote(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return strconv.Quote(string(r[:most])) + "…"
	}
	return strconv.Quote(s)
}

func (v value) isNull() bool { return v.node.Kind == yaml.ScalarNode && v.node.Tag == "!!null" }

func (v value) isQuoted() bool {
	return v.node.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0
}

// isNumber reports whether v is an unquoted number.
func (v value) isNumber() bool {
	return v.node.Kind == yaml.ScalarNode && (v.node.Tag == "!!int" || v.node.Tag == "!!float")
}

// entry is one field of a mapping: its name as a value of its own, for problems with the name, and its value.
type entry struct {
	name  string
	label value
	value
}

// fields are the entries of a mapping, in the order of the file.
type fields struct {
	value
	entries []entry
}

// mapping opens a mapping whose fields have any names, each at most once.
func (v value) mapping(want string) (fields, bool) {
	f := fields{value: v}
	if v.node.Kind != yaml.MappingNode {
		v.bad("%s; want %s", v.shown(), want)
		return f, false
	}
	first := map[string]int{}
	for i := 0; i+1 < len(v.node.Content); i += 2 {
		name := v.node.Content[i]
		label := value{v.d, name, v.join(name.Value)}
		if name.Kind != yaml.ScalarNode {
			label.path = v.path
			label.bad("%s as a field's name; want %s", label.shown(), want)
			continue
		}
		if line, twice := first[name.Value]; twice {
			label.bad("duplicate field, first on line %d; want it once", line)
			continue
		}
		first[name.Value] = name.Line
		f.entries = append(f.entries, entry{name.Value, label, value{v.d, v.node.Content[i+1], label.path}})
	}
	return f, true
}

// fields opens a mapping whose fields are all among legal.
func (v value) fields(legal ...string) (fields, bool) {
	f, ok := v.mapping("a mapping of " + list(legal))
	for _, e := range f.entries {
		if !slices.Contains(legal, e.name) {
			e.label.bad("unknown field; %swant one of %s", suggest(e.name, legal), list(legal))
		}
	}
	return f, ok
}

// get finds a field that may be absent.
func (f fields) get(name string) (value, bool) {
	for _, e := range f.entries {
		if e.name == name {
			return e.value, true
		}
	}
	return value{}, false
}

// need finds a field that must be there; want says what it is to hold.
func (f fields) need(name, want string) (value, bool) {
	v, ok := f.get(name)
	if !ok {
		value{f.d, f.node, f.join(name)}.bad("missing; want %s", want)
	}
	return v, ok
}

// join is the path of a field within v.
func (v value) join(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' || r == ':' }) {
		name = quote(name)
	}
	if v.path == "" {
		return name
	}
	return v.path + "." + name
}

// list opens a sequence of at most most values.
func (v value) list(want string, most int) ([]value, bool) {
	if v.node.Kind != yaml.SequenceNode || len(v.node.Content) == 0 {
		v.bad("%s; want %s", v.emptyOrShown(), want)
		return nil, false
	}
	if len(v.node.Content) > most {
		v.bad("%d entries; want at most %d", len(v.node.Content), most)
		return nil, false
	}
	values := make([]value, len(v.node.Content))
	for i, n := range v.node.Content {
		values[i] = value{v.d, n, fmt.Sprintf("%s[%d]", v.path, i)}
	}
	return values, true
}

func (v value) emptyOrShown() string {
	if v.node.Kind == yaml.SequenceNode {
		return "an empty list"
	}
	return v.shown()
}
