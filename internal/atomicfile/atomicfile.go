// Package atomicfile writes files that appear as a whole or not at all. A killed run leaves a temporary file, which
// Sweep deletes once it is a day old. The package reads only regular files, so that no read waits for another program.
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

// made matches the names of temporary files. They do not contain the final name, with which they could be too long.
var made = regexp.MustCompile(`^\.ratelab-[0-9]+\.tmp$`)

// old is the age from which a temporary file counts as left over. No run pauses for that long.
const old = 24 * time.Hour

// Temp makes a hidden, private temporary file in folder. The caller removes it. Sweep removes the files of killed
// programs.
func Temp(folder string) (*os.File, error) { return os.CreateTemp(folder, ".ratelab-*.tmp") }

// Sweep deletes the left-over temporary files in folder. It first creates a file there, to get the time of the file
// system's clock. It returns an error only if that fails. Files that cannot be deleted stay.
func Sweep(folder string) error {
	probe, err := Temp(folder)
	if err != nil {
		return err
	}
	now, err := probe.Stat()
	probe.Close()
	entries, _ := os.ReadDir(folder) // if the folder cannot be read, nothing is deleted
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

// Write lets write fill a temporary file beside path, and then renames it to path. So no program ever reads half of the
// file, even after a kill. After an error, path is unchanged.
func Write(path string, write func(io.Writer) error) (err error) {
	temp, err := Temp(filepath.Dir(path))
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(temp, 1<<16)
	err = write(out)
	for _, step := range []func() error{
		out.Flush,
		func() error { return temp.Chmod(0o644) }, // CreateTemp makes the file private
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
			at.Path = path // the name that the user knows
		}
	}
	return err
}

// WriteBytes writes data as Write does.
func WriteBytes(path string, data []byte) error {
	return Write(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
