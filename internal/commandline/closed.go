package commandline

import (
	"errors"
	"io"
	"os"
)

// Writable is a program's standard output; where it was closed, a writer that fails, so that no figure is lost in
// silence.
func Writable(stdout *os.File) io.Writer {
	if wasClosed(stdout) {
		return closed{}
	}
	return stdout
}

// closed is what nobody reads.
type closed struct{}

func (closed) Write([]byte) (int, error) {
	return 0, errors.New("standard output is closed; want a file, a pipe or a terminal, or >/dev/null for none")
}
