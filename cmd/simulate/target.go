package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"ratelab/internal/commandline"
	"ratelab/internal/message"
)

// rowsTarget is where the decisions go: --decisions with its symbolic links followed, since a new file takes the
// place of the one that has the name.
func (f *flags) rowsTarget(stdout io.Writer, scenarios []string) (string, error) {
	if f.decisions == "" {
		return "", nil
	}
	path := f.decisions
	if behind, err := filepath.EvalSymlinks(path); err == nil {
		path = behind
	}
	bad := func(format string, args ...any) (string, error) {
		return "", commandline.Usage("--decisions %s: %s", message.Path(f.decisions), fmt.Sprintf(format, args...))
	}
	folder := filepath.Dir(path)
	switch info, err := os.Stat(folder); {
	case errors.Is(err, fs.ErrNotExist):
		return bad("no folder %s; make it first", message.Path(folder))
	case err != nil:
		return bad("%v", commandline.WithoutPath(err))
	case !info.IsDir():
		return bad("%s is not a folder", message.Path(folder))
	}
	if target, err := os.Stat(path); err == nil { // there is something, which would be lost
		inputs := slices.Concat(scenarios, f.Scripts, f.Traces())
		if why := irreplaceable(target, stdout, inputs); why != "" {
			return bad("%s", why)
		}
	}
	return path, nil
}

// irreplaceable says why a file must not take the place of target; "" where it may.
func irreplaceable(target fs.FileInfo, stdout io.Writer, inputs []string) string {
	switch {
	case target.IsDir():
		return "this is a folder; want a file"
	case !target.Mode().IsRegular():
		return "not a regular file, and would be replaced by one; want another name"
	case isFile(stdout, target):
		return "standard output goes there; want another file"
	}
	for _, input := range inputs {
		if info, err := os.Stat(input); err == nil && os.SameFile(info, target) {
			return "the run reads it; want another file"
		}
	}
	return ""
}

// isFile reports whether w writes to the file that info describes.
func isFile(w io.Writer, info fs.FileInfo) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	own, err := file.Stat()
	return err == nil && os.SameFile(own, info)
}
