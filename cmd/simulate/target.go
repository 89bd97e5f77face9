package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"ratelab/internal/wording"
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
		return "", usage("--decisions %s: %s", wording.Path(f.decisions), fmt.Sprintf(format, args...))
	}
	folder := filepath.Dir(path)
	switch info, err := os.Stat(folder); {
	case errors.Is(err, fs.ErrNotExist):
		return bad("no folder %s; make it first", wording.Path(folder))
	case err != nil:
		return bad("%v", withoutPath(err))
	case !info.IsDir():
		return bad("%s is not a folder", wording.Path(folder))
	}
	if target, err := os.Stat(path); err == nil { // there is something, which would be lost
		inputs := slices.Concat(scenarios, f.scripts, []string{f.trace.File})
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

// makeFolder makes a folder, and those above it, and tries whether files can be made there: after a long run it
// would be too late. What it returns removes the folders that are new, for a run that has nothing to put there.
func makeFolder(flag, path string) (giveBack func(), err error) {
	var made []string
	for up := filepath.Clean(path); ; up = filepath.Dir(up) {
		info, err := os.Stat(up)
		if err == nil && !info.IsDir() {
			return nil, usage("%s %s: %s is not a folder", flag, wording.Path(path), wording.Path(up))
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
		return nil, fmt.Errorf("%s %s: %w", flag, wording.Path(path), withoutPath(err))
	}
	probe, err := os.CreateTemp(path, ".probe-*")
	if err != nil {
		giveBack()
		return nil, fmt.Errorf("%s %s: no file can be made there: %w", flag, wording.Path(path), withoutPath(err))
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
