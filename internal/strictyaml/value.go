package strictyaml

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"ratelab/internal/message"
)

// Value is a YAML node, with the path under which messages name it. Its methods check a value and store it. If a method
// returns false, it has recorded the problem and stored nothing, and the caller can look for further problems. The zero
// Value is an absent field: its methods return false and record nothing.
//
// Note: the first idea was to decode into tagged structs, with the library's KnownFields. But that does not distinguish
// a missing field from a zero, and its errors name Go types instead of the valid values.
type Value struct {
	Node *yaml.Node
	Path string
	file *File
}

// Given reports whether there is a value.
func (v Value) Given() bool { return v.Node != nil }

// Bad records a problem with v: what was found; what is wanted. It returns false.
func (v Value) Bad(format string, args ...any) bool {
	return v.Given() && v.file.bad(v.Node.Line, v.Node.Column, v.Path, format, args...)
}

// Entry is one field of a mapping. Label is the name as a value, for problems with the name.
type Entry struct {
	Name  string
	Label Value
	Value
}

// Fields are the entries of a mapping, in the order of the file. In the zero Fields, all fields are absent, but Need
// does not report them.
type Fields struct {
	Value
	Entries []Entry
}

// Mapping returns the fields of a mapping with arbitrary names. Each name may occur once.
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
			label.Bad("%s is not a field's name; want %s", label.Shown(), want)
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

// Fields returns the fields of a mapping. Their names must be among legal.
func (v Value) Fields(legal ...string) Fields { return v.FieldsOr(nil, legal...) }

// FieldsOr is like Fields, with hints: the message for an unknown field of that name. Without a hint, the message
// suggests the most similar legal name.
func (v Value) FieldsOr(hints map[string]string, legal ...string) Fields {
	f := v.Mapping("a mapping of " + message.List(legal))
	for _, e := range f.Entries {
		if !slices.Contains(legal, e.Name) {
			e.Label.Bad("unknown field; %s", cmp.Or(hints[e.Name], message.OneOf(e.Name, legal)))
		}
	}
	return f
}

// Get returns a field that may be absent.
func (f Fields) Get(name string) Value {
	for _, e := range f.Entries {
		if e.Name == name {
			return e.Value
		}
	}
	return Value{}
}

// Need returns a field that must exist. want describes its content.
func (f Fields) Need(name, want string) Value {
	v := f.Get(name)
	if !v.Given() {
		f.Place(name).Bad("missing; want %s", want)
	}
	return v
}

// Place returns the value at which problems with a field are recorded: the field, or the mapping without it.
func (f Fields) Place(name string) Value {
	if v := f.Get(name); v.Given() {
		return v
	}
	return Value{file: f.file, Node: f.Node, Path: f.join(name)}
}

// join returns the path of a field within v.
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

// List returns the elements of a sequence with 1 to most values. It returns nil if it has recorded a problem.
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
