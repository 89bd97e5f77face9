package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ratelab/internal/atomicfile"
	"ratelab/internal/message"
)

// CheckFolder checks before a run that files can be written to a folder, and that no other files are lost. The folder
// may be new, be empty, or have a document of simulate or bench. With force, it may have any files. CheckFolder deletes
// temporary files of killed runs that are a day old. Errors name the flag.
func CheckFolder(flag, path string, force bool) error {
	above := filepath.Clean(path) // or the parent folder in which it will be created
	info, err := os.Stat(above)
	for err != nil && above != filepath.Dir(above) {
		above = filepath.Dir(above)
		info, err = os.Stat(above)
	}
	if err == nil && !info.IsDir() {
		return Usage("%s %s: %s is not a folder", flag, message.Path(path), message.Path(above))
	}
	if above == filepath.Clean(path) && !force && !free(path) {
		return Usage("%s %s: it has files, but no result of simulate or bench; name another folder, or use "+
			"--force to overwrite files", flag, message.Path(path))
	}
	if err := atomicfile.Sweep(above); err != nil {
		err = errors.Unwrap(err) // drop the path, which is that of a temporary file
		return fmt.Errorf("%s %s: no file can be made there: %w", flag, message.Path(path), err)
	}
	return nil
}

// free reports whether a folder has only hidden files, or a document of simulate or bench.
func free(folder string) bool {
	entries, _ := os.ReadDir(folder)
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return e.IsDir() || strings.HasPrefix(e.Name(), ".")
	})
	return len(entries) == 0 || slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return filepath.Ext(e.Name()) == ".json" && ours(filepath.Join(folder, e.Name()))
	})
}

// ours reports whether a file is a document of simulate or bench.
func ours(path string) bool {
	file, err := atomicfile.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	var doc struct{ Tool struct{ Name string } }
	return json.NewDecoder(file).Decode(&doc) == nil && (doc.Tool.Name == "simulate" || doc.Tool.Name == "bench")
}

// CheckFile refuses to replace a file that is not a document of simulate or bench, unless force is set.
func CheckFile(path string, force bool) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) || force || ours(path) {
		return nil
	}
	return Usage("%s: exists, and is not a result of simulate; move it away, or use --force to replace it",
		message.Path(path))
}
