package result

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"

	"ratelab/internal/message"
)

// BadFile reports a file that is incomplete or not the requested kind. It is a usage error.
type BadFile struct {
	Path    string
	At      string // line:column, or "" if the whole file is meant
	Problem string // what is wrong
	Remedy  string // what to do
	Old     bool   // an earlier version of this program wrote it
	Err     error  // the cause, or nil
}

// Error returns one line: path:line:column: problem; remedy.
func (b *BadFile) Error() string {
	at := message.Path(b.Path)
	if b.At != "" {
		at += ":" + b.At
	}
	return fmt.Sprintf("%s: %s; %s", at, b.Problem, b.Remedy)
}

// Unwrap returns the cause.
func (b *BadFile) Unwrap() error { return b.Err }

// unreadable returns a BadFile for an error of the file system.
func unreadable(path, want string, err error) *BadFile {
	b := &BadFile{Path: path, Problem: "cannot be read", Remedy: want, Err: err}
	var failed *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		b.Problem = "no such file"
	case errors.Is(err, fs.ErrInvalid):
		b.Problem = err.Error()
	case errors.As(err, &failed):
		b.Problem += ": " + failed.Err.Error()
	default:
		b.Problem += ": " + err.Error()
	}
	return b
}

// position returns the place of an offset as line:column, counted in bytes from 1.
func position(data []byte, offset int64) string {
	before := data[:min(max(offset, 0), int64(len(data)))]
	line := 1 + bytes.Count(before, []byte{'\n'})
	column := len(before) - bytes.LastIndexByte(before, '\n')
	return fmt.Sprintf("%d:%d", line, column)
}
