// Package atomicfile writes files that appear whole or not at all. What a killed run leaves is a temporary file, which
// Sweep deletes once it is a day old. It reads regular files only, so that no read waits for another program.
package atomicfile

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// made are the names of temporary files. What such a file is to become is not in it: with that it could be too long.
var made = regexp.MustCompile(`^\.ratelab-[0-9]+\.tmp$`)

// old is how long nobody has written to a temporary file that is left over: longer than any run pauses.
const old = 24 * time.Hour

// Temp makes a temporary file in folder, hidden and private. Whoever makes it removes it; Sweep does so for the
// dead.
func Temp(folder string) (*os.File, error) { return os.CreateTemp(folder, ".ratelab-*.tmp") }

// Sweep deletes the temporary files in folder that are left over, and nothing else. It makes a file there first, for
// the time by the clock of whatever keeps the folder. An error is that this cannot be done: what cannot be deleted
// stays.
func Sweep(folder string) error {
	probe, err := Temp(folder)
	if err != nil {
		return err
	}
	now, err := probe.Stat()
	probe.Close()
	entries, _ := os.ReadDir(folder) // a folder that may not be read is none to sweep
	for _, e := range entries {
		if err != nil || !e.Type().IsRegular() || !made.MatchString(e.Name()) {
			continue
		}
		if info, err := e.Info(); err == nil && info.ModTime().Before(now.ModTime().Add(-old)) {
			os.Remove(filepath.Join(folder, e.Name()))
		}
	}
	return os.Remove(probe.Name())
}

// Write lets write fill a file beside path and then puts it in path's place: nobody ever reads half of it, also not
// after a kill in the middle. On an error path is as it was.
func Write(path string, write func(io.Writer) error) (err error) {
	temp, err := Temp(filepath.Dir(path))
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(temp, 1<<16)
	err = write(out)
	for _, step := range []func() error{
		out.Flush,
		func() error { return temp.Chmod(0o644) }, // CreateTemp makes it private
		temp.Close,
		func() error { return os.Rename(temp.Name(), path) },
	} {
		if err == nil {
			err = step()
		}
	}
	if err != nil {
		temp.Close()
		os.Remove(temp.Name())
		var at *fs.PathError
		if errors.As(err, &at) && at.Path == temp.Name() {
			at.Path = path // which is what the reader knows
		}
	}
	return err
}

// WriteBytes is Write of what is there already.
func WriteBytes(path string, data []byte) error {
	return Write(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
