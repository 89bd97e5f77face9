package scenarios

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"
)

const (
	maxFile  = 1 << 20 // bytes
	maxDepth = 10      // of nested values; a scenario needs six
)

// Parse reads a scenario. file is its path, for messages, for the name it must bear and for the folder that a
// trace's name is relative to; it is not opened. The error is an Errors with everything that is wrong.
func Parse(file string, data []byte) (*Scenario, error) {
	d := &decoder{file: file}
	s := d.parse(data)
	if len(d.problems) > 0 {
		return nil, d.problems.sorted()
	}
	sum := sha256.Sum256(data)
	s.SHA256 = hex.EncodeToString(sum[:])
	return s, nil
}

func (d *decoder) parse(data []byte) *Scenario {
	if !d.checkBytes(data) {
		return nil
	}
	root := d.document(data)
	if root == nil || !d.checkPlain(root) {
		return nil
	}
	return d.scenario(value{d: d, node: root})
}

// bad notes a problem at a place of the file.
func (d *decoder) bad(line, column int, format string, args ...any) {
	d.problems = append(d.problems, Problem{File: d.file, Line: max(line, 1), Column: max(column, 1), Message: fmt.Sprintf(format, args...)})
}

// checkBytes refuses what is not a text of sensible size.
func (d *decoder) checkBytes(data []byte) bool {
	if len(data) > maxFile {
		d.bad(1, 1, "the file has %d bytes; want at most %d", len(data), maxFile)
		return false
	}
	line, column := 1, 1
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			d.bad(line, column, "the byte 0x%02x is not UTF-8; want a UTF-8 text", data[i])
			return false
		}
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f {
			d.bad(line, column, "the control character U+%04X; want text only", r)
			return false
		}
		if i += n; r == '\n' {
			line, column = line+1, 1
		} else {
			column++
		}
	}
	return true
}

// document reads the only document of a file.
func (d *decoder) document(data []byte) *yaml.Node {
	loader, err := yaml.NewLoader(bytes.NewReader(data), yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(maxDepth))))
	if err != nil {
		d.bad(1, 1, "%v", err)
		return nil
	}
	var first, second yaml.Node
	if err := loader.Load(&first); err != nil {
		d.syntax(err)
		return nil
	}
	switch err := loader.Load(&second); {
	case err == nil:
		d.bad(second.Line, second.Column, "a second document; want one scenario per file")
		return nil
	case err != io.EOF:
		d.syntax(err)
		return nil
	}
	if first.Kind != yaml.DocumentNode || len(first.Content) != 1 {
		d.syntax(io.EOF)
		return nil
	}
	return first.Content[0]
}

// syntax words an error of the YAML reader.
func (d *decoder) syntax(err error) {
	if err == io.EOF {
		d.bad(1, 1, "the file is empty; want a scenario with name, question, limit and phases")
		return
	}
	var at *yaml.LoadError
	if !errors.As(err, &at) {
		d.bad(1, 1, "not YAML: %q", err.Error())
		return
	}
	text := at.Message
	if at.ContextMsg != "" {
		text = at.ContextMsg + ": " + text
	}
	d.bad(at.Mark.Line, at.Mark.Column, "not YAML: %s; want a mapping of fields", text)
}

// checkPlain refuses the parts of YAML that make a file mean something else than it shows: anchors and aliases
// (of which a bomb is made), merge keys and tags.
func (d *decoder) checkPlain(n *yaml.Node) bool {
	before := len(d.problems)
	d.walkPlain(n)
	return len(d.problems) == before
}

func (d *decoder) walkPlain(n *yaml.Node) {
	switch {
	case n.Kind == yaml.AliasNode:
		d.bad(n.Line, n.Column, "the alias *%s; want the value itself: anchors and aliases are not allowed", quoteBare(n.Value))
		return // what it stands for is checked where it is
	case n.Anchor != "":
		d.bad(n.Line, n.Column, "the anchor &%s; want the value alone: anchors and aliases are not allowed", quoteBare(n.Anchor))
	case n.Style&yaml.TaggedStyle != 0:
		d.bad(n.Line, n.Column, "the tag %s; want the value alone: tags are not allowed", quoteBare(n.Tag))
	}
	for _, c := range n.Content {
		d.walkPlain(c)
	}
}

// quoteBare is quote without the quotes, for names that follow a * or &.
func quoteBare(s string) string {
	q := quote(s)
	return q[1 : len(q)-1]
}
