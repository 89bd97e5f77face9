package report

import (
	"fmt"
	"io"

	"ratelab/internal/message"
)

// Formats are those in which a document can be written, the default first.
type Formats[D any] []Format[D]

// Format is one of them, under the name that commands use.
type Format[D any] struct {
	Name  string
	Write func(io.Writer, D, Terminal) error
}

// Everywhere is a format that is the same on every terminal.
func Everywhere[D any](name string, write func(io.Writer, D) error) Format[D] {
	return Format[D]{name, func(w io.Writer, d D, _ Terminal) error { return write(w, d) }}
}

// Names are those of the formats, in order.
func (f Formats[D]) Names() []string {
	var names []string
	for _, format := range f {
		names = append(names, format.Name)
	}
	return names
}

// Write writes d in the format of that name; t matters to tables only.
func (f Formats[D]) Write(w io.Writer, name string, d D, t Terminal) error {
	for _, format := range f {
		if format.Name == name {
			return format.Write(w, d, t)
		}
	}
	return fmt.Errorf("format %s: %s", message.Quote(name), message.OneOf(name, f.Names()))
}
