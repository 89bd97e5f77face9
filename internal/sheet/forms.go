package sheet

import (
	"fmt"
	"io"

	"ratelab/internal/message"
)

// Forms are those in which a document can be written, the default first.
type Forms[D any] []Form[D]

// Form is one of them, under the name that commands use.
type Form[D any] struct {
	Name  string
	Write func(io.Writer, D, Terminal) error
}

// Everywhere is a form that is the same on every terminal.
func Everywhere[D any](name string, write func(io.Writer, D) error) Form[D] {
	return Form[D]{name, func(w io.Writer, d D, _ Terminal) error { return write(w, d) }}
}

// Names are those of the forms, in order.
func (f Forms[D]) Names() []string {
	var names []string
	for _, form := range f {
		names = append(names, form.Name)
	}
	return names
}

// Write writes d in the form of that name; t matters to tables only.
func (f Forms[D]) Write(w io.Writer, name string, d D, t Terminal) error {
	for _, form := range f {
		if form.Name == name {
			return form.Write(w, d, t)
		}
	}
	return fmt.Errorf("format %s: %s", message.Quote(name), message.OneOf(name, f.Names()))
}
