package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// regularTarget refuses a file to be written that could not take the place of what is there: the flag named it by
// mistake. A path of nothing is fine.
func regularTarget(flag, path string) error {
	if path == "" {
		return nil
	}
	shown := printable(path)
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return usage("%s %s: this is a folder; want a file", flag, shown)
	case err == nil && !info.Mode().IsRegular():
		return usage("%s %s: not a regular file, and would be replaced by one; want another name", flag, shown)
	}
	folder := filepath.Dir(path)
	switch info, err := os.Stat(folder); {
	case errors.Is(err, fs.ErrNotExist):
		return usage("%s %s: no folder %s; make it first", flag, shown, printable(folder))
	case err != nil:
		return fmt.Errorf("%s %s: %w", flag, shown, withoutPath(err))
	case !info.IsDir():
		return usage("%s %s: %s is not a folder", flag, shown, printable(folder))
	}
	return nil
}

// makeFolder makes a folder, and those above it, and tries whether files can be made there: after a long run it
// would be too late. What it returns removes the folders that are new, for a run that has nothing to put there.
func makeFolder(flag, path string) (giveBack func(), err error) {
	var made []string
	for up := filepath.Clean(path); ; up = filepath.Dir(up) {
		info, err := os.Stat(up)
		if err == nil && !info.IsDir() {
			return nil, usage("%s %s: %s is not a folder", flag, printable(path), printable(up))
		}
		if err == nil || up == filepath.Dir(up) {
			break
		}
		made = append(made, up)
	}
	giveBack = func() {
		for _, folder := range made {
			os.Remove(folder) // which fails where somebody has put something into it
		}
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		giveBack()
		return nil, fmt.Errorf("%s %s: %w", flag, printable(path), withoutPath(err))
	}
	probe, err := os.CreateTemp(path, ".probe-*")
	if err != nil {
		giveBack()
		return nil, fmt.Errorf("%s %s: no file can be made there: %w", flag, printable(path), withoutPath(err))
	}
	probe.Close()
	return giveBack, os.Remove(probe.Name())
}

// withoutPath is what the system said, without the name of our own temporary file.
func withoutPath(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	return err
}
