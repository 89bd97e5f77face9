package accesslog

import (
	"embed"
	"errors"
	"fmt"
	"strings"
	"sync"

	"ratelab/internal/message"
)

// Format is how a trace is written: one of Formats, or a template of a line, which has a $name.
type Format string

// Each format is a file formats/NN-NAME.txt. Formats are listed, and tried on a file's first line, in the order of NN.
// The file has a line with what the format is for, a template after format:, and a sample with what is read from it, by
// which it is tested. A format without a template is read by Go code, which calls register.
//
//go:embed formats
var formatFiles embed.FS

// layout is how the lines of one format are written.
type layout struct {
	name   Format
	header bool // the first line names the fields
	quotes bool // fields in quotes may go on over the end of a line
	fixed  bool // the time and the client are always in the same place: it is not worth a note
	// fits reports whether a file may begin with this line; nil: it is not told by its first line alone.
	fits func(first []byte) bool
	// check reports which fields of a trace do not go with the format; nil: all may.
	check func(t Trace) problems
	// open makes the reader of a file that begins with this line, and does not change the line. A reader with an error
	// knows no field by its name.
	open func(first []byte) (format, error)
}

// format takes the lines of one file apart.
type format interface {
	// names are those of the fields, as far as the first line tells.
	names() []string
	// column finds a field by its very name.
	column(name string) (column, error)
	// cut takes the next line. It returns the first of other words that stand before it, if they are to be noted. Its
	// error says what was found and what is wanted, without file and line.
	cut(line []byte) (before []byte, err error)
}

// column is the value of one field of the line that was cut last. It is valid until the next line.
type column func() ([]byte, error)

// coded are the layouts without a template.
var coded = map[Format]*layout{}

// register makes the layout of a format without a template known.
func register(l layout) bool {
	coded[l.name] = &l
	return true
}

// layouts are those of all formats, in order.
var layouts = sync.OnceValue(func() (all []*layout) {
	files, _ := formatFiles.ReadDir("formats") // what is embedded can be read
	for _, file := range files {
		text, _ := formatFiles.ReadFile("formats/" + file.Name())
		_, name, _ := strings.Cut(strings.TrimSuffix(file.Name(), ".txt"), "-")
		l := coded[Format(name)]
		if _, rest, found := strings.Cut(string(text), "\nformat: "); found {
			template, _, _ := strings.Cut(rest, "\n")
			l = ofTemplate(name, template)
		}
		all = append(all, l)
	}
	return all
})

// layout is how the format is written; nil: there is no such format.
func (f Format) layout() *layout {
	if strings.Contains(string(f), "$") {
		return ofTemplate("template", string(f))
	}
	for _, l := range layouts() {
		if l.name == f {
			return l
		}
	}
	return nil
}

// Formats are the formats that have a name, in the order in which messages list them.
func Formats() (all []Format) {
	for _, l := range layouts() {
		all = append(all, l.name)
	}
	return all
}

// guess finds the format from a file's first line; timeColumn tells a header of one column.
func guess(first []byte, timeColumn string) (Format, error) {
	for _, l := range layouts() {
		if l.fits != nil && l.fits(first) {
			return l.name, nil
		}
	}
	if first[0] == '[' && (len(first) == 1 || first[1] == '{') {
		return "", errors.New("a JSON array; want one object per line, as jq -c '.[]' FILE writes them")
	}
	if isHeader(first, timeColumn) {
		return CSV, nil
	}
	return "", fmt.Errorf("no format can be guessed from %s; want %s", message.Quote(first), anyFormat())
}

// anyFormat tells what a format may be.
func anyFormat() string {
	return "--trace-format with one of " + message.List(Formats()) + ", or with a template such as " + exampleTemplate
}
