package commandline

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"ratelab/internal/atomicfile"
	"ratelab/internal/message"
)

// MakeFolder makes a folder, and those above it, and tries whether files can be made there: after a long run it
// would be too late. Temporary files that killed runs left there are deleted. What it returns removes the folders that
// are new, for a run that has nothing to put there. Errors name the flag.
func MakeFolder(flag, path string) (giveBack func(), err error) {
	made, err := missing(flag, path)
	if err != nil {
		return nil, err
	}
	giveBack = func() {
		for _, folder := range made {
			os.Remove(folder) // which fails where somebody has put something into it
		}
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		giveBack()
		return nil, fmt.Errorf("%s %s: %w", flag, message.Path(path), WithoutPath(err))
	}
	if err := atomicfile.Sweep(path); err != nil {
		giveBack()
		return nil, fmt.Errorf("%s %s: no file can be made there: %w", flag, message.Path(path), WithoutPath(err))
	}
	return giveBack, nil
}

// missing are path and the folders above it that are not there, the innermost first.
func missing(flag, path string) (folders []string, err error) {
	for up := filepath.Clean(path); ; up = filepath.Dir(up) {
		info, err := os.Stat(up)
		if err == nil && !info.IsDir() {
			return nil, Usage("%s %s: %s is not a folder", flag, message.Path(path), message.Path(up))
		}
		if err == nil || up == filepath.Dir(up) {
			return folders, nil
		}
		folders = append(folders, up)
	}
}

// WithoutPath is what the system said, without the name of a file of our own.
func WithoutPath(err error) error {
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
