package message

import (
	"errors"
	"io/fs"
)

// unreadable is the reason why a file cannot be read.
type unreadable struct {
	text  string
	cause error
}

func (e *unreadable) Error() string { return e.text }
func (e *unreadable) Unwrap() error { return e.cause }

// Unreadable returns an error of opening or reading a file in words for users. The usual causes have the same words on
// every system. The text does not have the file's name, which the caller adds. The error unwraps to err.
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
