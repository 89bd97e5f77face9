// Package strictyaml reads small YAML files that people write by hand. It finds all mistakes in one pass, and reports
// each with its line, column, field and the valid values.
//
// It refuses features that let a file mean something else than it seems to: anchors, aliases (which allow YAML bombs),
// merge keys, tags, duplicate fields, a second document, and numbers in other bases. It has no schema: its callers walk
// the values.
package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"

	"ratelab/internal/message"
)

const (
	// MaxBytes is the most bytes of a file.
	MaxBytes = 1 << 20
	maxDepth = 10 // of nested values; a scenario needs six
)

// File reads one file, and collects the problems of its values.
type File struct {
	Name   string // its path, for messages; the file is not opened
	Wants  string // ends the message about an empty file, such as "a binding with keys and admitted"
	Remedy string // ends the message about text that is not YAML, such as "want a mapping of fields"

	problems Errors
}

// Root parses data and returns its top-level value. If the file has no value, ok is false, and the problems are
// recorded.
func (f *File) Root(data []byte) (root Value, ok bool) {
	if !f.CheckText(data) {
		return Value{}, false
	}
	node := f.document(data)
	if node == nil {
		return Value{}, false
	}
	f.checkPlain(node)
	return Value{file: f, Node: node}, len(f.problems) == 0
}

// Errors returns all problems recorded until now, in the order of their places.
func (f *File) Errors() Errors { return f.problems.sorted() }

// Noted returns how many problems have been recorded.
func (f *File) Noted() int { return len(f.problems) }

// bad records a problem at a place in the file, once, and returns false. field is empty if the problem is not about a
// field.
func (f *File) bad(line, column int, field, format string, args ...any) bool {
	p := Problem{f.Name, max(line, 1), max(column, 1), field, fmt.Sprintf(format, args...)}
	if !slices.Contains(f.problems, p) {
		f.problems = append(f.problems, p)
	}
	return false
}

// CheckText refuses files that are too large or not text. It can be used for files other than YAML.
func (f *File) CheckText(data []byte) bool {
	if len(data) > MaxBytes {
		return f.bad(1, 1, "", "the file has more than %d bytes; want at most that", MaxBytes)
	}
	line, column := 1, 1
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return f.bad(line, column, "", "the byte 0x%02x is not UTF-8; want a UTF-8 text", data[i])
		}
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f {
			return f.bad(line, column, "", "the control character U+%04X; want text only", r)
		}
		if i += n; r == '\n' {
			line, column = line+1, 1
		} else {
			column++
		}
	}
	return true
}

// document reads a file, which must have one document.
func (f *File) document(data []byte) *yaml.Node {
	loader, err := yaml.NewLoader(bytes.NewReader(data),
		yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(maxDepth))))
	if err != nil {
		f.bad(1, 1, "", "%v", err)
		return nil
	}
	var first, second yaml.Node
	if err := loader.Load(&first); err != nil {
		f.syntax(err)
		return nil
	}
	switch err := loader.Load(&second); {
	case err == nil:
		f.bad(second.Line, second.Column, "", "a second document; want one per file")
		return nil
	case err != io.EOF:
		f.syntax(err)
		return nil
	}
	if first.Kind != yaml.DocumentNode || len(first.Content) != 1 {
		f.syntax(io.EOF)
		return nil
	}
	return first.Content[0]
}

// syntax records a syntax error of the YAML reader.
func (f *File) syntax(err error) {
	if err == io.EOF {
		f.bad(1, 1, "", "the file is empty; want %s", f.Wants)
		return
	}
	var at *yaml.LoadError
	if !errors.As(err, &at) {
		f.bad(1, 1, "", "not YAML: %s", message.Quote(err.Error()))
		return
	}
	text := at.Message
	if at.ContextMsg != "" {
		text = at.ContextMsg + ": " + text
	}
	f.bad(at.Mark.Line, at.Mark.Column, "", "not YAML: %s; %s", text, f.Remedy)
}

// checkPlain refuses anchors, aliases and tags.
func (f *File) checkPlain(n *yaml.Node) {
	switch {
	case n.Kind == yaml.AliasNode:
		f.bad(n.Line, n.Column, "", "the alias *%s; want the value itself: anchors and aliases are not allowed",
			message.Bare(n.Value))
		return // the value is checked at its anchor
	case n.Anchor != "":
		f.bad(n.Line, n.Column, "", "the anchor &%s; want the value alone: anchors and aliases are not allowed",
			message.Bare(n.Anchor))
	case n.Style&yaml.TaggedStyle != 0:
		f.bad(n.Line, n.Column, "", "the tag %s; want the value alone, in quotes if it begins with !: tags are not "+
			"allowed", message.Bare(n.Tag))
	}
	for _, c := range n.Content {
		f.checkPlain(c)
	}
}
