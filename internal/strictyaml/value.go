package strictyaml

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"ratelab/internal/message"
)

// Value is a YAML node and the path under which messages name it. Its methods check a value and store it; where they
// report false they have noted the problem and stored nothing, and the caller goes on to find others. The zero Value
// is a field that is absent: its methods report false and note nothing.
//
// Note: decoding into tagged structs was the first idea, also with the library's KnownFields. It does not tell a
// missing field from a zero, and its errors name Go's types instead of what is wanted.
type Value struct {
	Node *yaml.Node
	Path string
	file *File
}

// Given reports whether there is a value.
func (v Value) Given() bool { return v.Node != nil }

// Bad notes a problem with v: what was found; what is wanted. It returns false.
func (v Value) Bad(format string, args ...any) bool {
	return v.Given() && v.file.bad(v.Node.Line, v.Node.Column, v.Path, format, args...)
}

// Entry is one field of a mapping: its name, its name as a value of its own for problems with it, and its value.
type Entry struct {
	Name  string
	Label Value
	Value
}

// Fields are the entries of a mapping, in the order of the file. In the zero Fields every field is absent, and none is
// missing.
type Fields struct {
	Value
	Entries []Entry
}

// Mapping opens a mapping whose fields have any names, each at most once.
func (v Value) Mapping(want string) Fields {
	if !v.IsMapping() {
		v.Bad("%s; want %s", v.Shown(), want)
		return Fields{}
	}
	f, first := Fields{Value: v}, map[string]int{}
	for i := 0; i+1 < len(v.Node.Content); i += 2 {
		name := v.Node.Content[i]
		label := Value{file: v.file, Node: name, Path: v.join(name.Value)}
		if name.Kind != yaml.ScalarNode {
			label.Path = v.Path
			label.Bad("%s as a field's name; want %s", label.Shown(), want)
			continue
		}
		if line, twice := first[name.Value]; twice {
			label.Bad("duplicate field, first on line %d; want it once", line)
			continue
		}
		first[name.Value] = name.Line
		f.Entries = append(f.Entries, Entry{name.Value, label,
			Value{file: v.file, Node: v.Node.Content[i+1], Path: label.Path}})
	}
	return f
}

// Fields opens a mapping whose fields are all among legal.
func (v Value) Fields(legal ...string) Fields { return v.FieldsOr(nil, legal...) }

// FieldsOr is Fields with hints: what to say of an unknown field of that name, instead of the legal one that is spelled
// most like it.
func (v Value) FieldsOr(hints map[string]string, legal ...string) Fields {
	f := v.Mapping("a mapping of " + message.List(legal))
	for _, e := range f.Entries {
		if !slices.Contains(legal, e.Name) {
			e.Label.Bad("unknown field; %s", cmp.Or(hints[e.Name], message.OneOf(e.Name, legal)))
		}
	}
	return f
}

// Get finds a field that may be absent.
func (f Fields) Get(name string) Value {
	for _, e := range f.Entries {
		if e.Name == name {
			return e.Value
		}
	}
	return Value{}
}

// Need finds a field that must be there; want says what it is to hold.
func (f Fields) Need(name, want string) Value {
	v := f.Get(name)
	if !v.Given() {
		f.Place(name).Bad("missing; want %s", want)
	}
	return v
}

// Place is where problems with a field are noted: the field, or the mapping that lacks it.
func (f Fields) Place(name string) Value {
	if v := f.Get(name); v.Given() {
		return v
	}
	return Value{file: f.file, Node: f.Node, Path: f.join(name)}
}

// join is the path of a field within v.
func (v Value) join(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' || r == ':' }) {
		name = message.Quote(name)
	} else {
		name = message.Bare(name)
	}
	if v.Path == "" {
		return name
	}
	return v.Path + "." + name
}

// List opens a sequence of 1 to most values; it gives none where a problem was noted.
func (v Value) List(want string, most int) []Value {
	switch {
	case !v.IsList():
		v.Bad("%s; want %s", v.Shown(), want)
		return nil
	case len(v.Node.Content) == 0:
		v.Bad("an empty list; want %s", want)
		return nil
	case len(v.Node.Content) > most:
		v.Bad("%d entries; want at most %d", len(v.Node.Content), most)
		return nil
	}
	values := make([]Value, len(v.Node.Content))
	for i, n := range v.Node.Content {
		values[i] = Value{file: v.file, Node: n, Path: fmt.Sprintf("%s[%d]", v.Path, i)}
	}
	return values
}
