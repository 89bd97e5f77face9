// Package atomicfile writes files that appear whole or not at all: nobody ever reads half of one, also not after a
// kill in the middle. What a killed run leaves is a temporary file with its process in its name, which Sweep knows.
package atomicfile

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"ratelab/internal/alive"
)

// The beginning and the end of a temporary file's name. What it is to become is not in it: with that it could be too
// long.
const (
	prefix = ".ratelab-"
	suffix = ".tmp"
)

// Temp makes a temporary file in folder, hidden and private. Whoever makes it removes it; Sweep does so for the dead.
func Temp(folder string) (*os.File, error) {
	return os.CreateTemp(folder, alive.Pattern(prefix, suffix))
}

// Sweep deletes the temporary files in folder of processes that have ended, and nothing else. It makes a file there
// first, for the time, and an error is that this cannot be done: what cannot be deleted stays.
func Sweep(folder string) error {
	probe, err := Temp(folder)
	if err != nil {
		return err
	}
	info, err := probe.Stat() // by the clock of whatever keeps the folder
	probe.Close()
	if err == nil {
		sweep(folder, info)
	}
	return os.Remove(probe.Name())
}

func sweep(folder string, probe os.FileInfo) {
	// a folder that may not be read is none to sweep
	left, _ := alive.Leftovers(folder, prefix, suffix, probe.ModTime())
	for _, e := range left {
		if e.Type().IsRegular() {
			os.Remove(filepath.Join(folder, e.Name()))
		}
	}
}

// Write lets write fill a file beside path and then puts it in path's place. On an error path is as it was.
func Write(path string, write func(io.Writer) error) (err error) {
	temp, err := Temp(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			temp.Close()
			os.Remove(temp.Name())
			var at *fs.PathError
			if errors.As(err, &at) && at.Path == temp.Name() {
				at.Path = path // which is what the reader knows
			}
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
