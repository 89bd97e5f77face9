package atomicfile

import (
	"fmt"
	"io"
	"io/fs"
	"os"

	"ratelab/internal/message"
)

// Open opens a regular file for reading. It checks the kind of file first, because opening a named pipe would wait for
// a writer, and a device may never end. The error is formatted as by message.Unreadable. It is an fs.ErrInvalid if the
// file is not regular.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, irregular{info.Mode()}
	}
	if err != nil {
		return nil, message.Unreadable(err)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, message.Unreadable(err)
	}
	return file, nil
}

// Read returns at most most + 1 bytes of a regular file, so that the caller notices a larger file. It returns the
// errors of Open.
func Read(path string, most int64) ([]byte, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, most+1))
	if err != nil {
		return nil, message.Unreadable(err)
	}
	return data, nil
}

// irregular is the error for a file that is not regular.
type irregular struct{ mode fs.FileMode }

func (e irregular) Error() string {
	kind := "a device"
	switch {
	case e.mode.IsDir():
		kind = "a folder"
	case e.mode&fs.ModeNamedPipe != 0:
		kind = "a named pipe"
	case e.mode&fs.ModeSocket != 0:
		kind = "a socket"
	}
	return fmt.Sprintf("is %s, not a file", kind)
}

func (irregular) Unwrap() error { return fs.ErrInvalid }
