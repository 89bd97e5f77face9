package message

import (
	"errors"
	"io/fs"
)

// unreadable is why a file cannot be read.
type unreadable struct {
	text  string
	cause error
}

func (e *unreadable) Error() string { return e.text }
func (e *unreadable) Unwrap() error { return e.cause }

// Unreadable words an error of opening or reading a file, in the same words on every system for the usual causes,
// and without the file's name, which its caller has said. It unwraps to err.
func Unreadable(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &unreadable{"no such file", err}
	case errors.Is(err, fs.ErrPermission):
		return &unreadable{"permission denied; want a file that can be read", err}
	}
	text := err.Error()
	var at *fs.PathError
	if errors.As(err, &at) {
		text = at.Err.Error()
	}
	return &unreadable{"cannot be read: " + text, err}
}
