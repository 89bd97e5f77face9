package result

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"

	"ratelab/internal/message"
)

// BadFile is a file that is not what was asked for, or not whole: the fault of who named it.
type BadFile struct {
	Path    string
	At      string // line:column, or "" where it is the whole file
	Problem string // what is wrong
	Remedy  string // what to do
	Old     bool   // an earlier version of this program wrote it
	Err     error  // the cause, if another one's
}

// Error is one line: path:line:column: problem; remedy.
func (b *BadFile) Error() string {
	at := message.Path(b.Path)
	if b.At != "" {
		at += ":" + b.At
	}
	return fmt.Sprintf("%s: %s; %s", at, b.Problem, b.Remedy)
}

// Unwrap is the cause.
func (b *BadFile) Unwrap() error { return b.Err }

// unreadable words an error of the file system.
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

// position is where an offset lies, as line:column counted in bytes from 1.
func position(data []byte, offset int64) string {
	before := data[:min(max(offset, 0), int64(len(data)))]
	line := 1 + bytes.Count(before, []byte{'\n'})
	column := len(before) - bytes.LastIndexByte(before, '\n')
	return fmt.Sprintf("%d:%d", line, column)
}
