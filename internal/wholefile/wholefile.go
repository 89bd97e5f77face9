// Package wholefile writes files that appear whole or not at all: nobody ever reads half of one, also not after a
// kill in the middle.
package wholefile

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
)

// Write lets write fill a file beside path and then puts it in path's place. On an error path is as it was.
func Write(path string, write func(io.Writer) error) (err error) {
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			temp.Close()
			os.Remove(temp.Name())
		}
	}()
	out := bufio.NewWriterSize(temp, 1<<16)
	if err := write(out); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if err := temp.Chmod(0o644); err != nil { // CreateTemp makes it private
		return err
	}
	if err := temp.Close(); err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}
