package chart

import (
	"fmt"
	"os"
	"path/filepath"
)

// writeWhole writes a file beside its place and renames it, so that nobody meets half a picture.
func writeWhole(path string, data []byte) (err error) {
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("chart: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(temp.Name()) // the first error is the one to tell
			err = fmt.Errorf("chart: %w", err)
		}
	}()
	if _, err = temp.Write(data); err != nil {
		_ = temp.Close()
		return err
	}
	if err = temp.Chmod(0o644); err != nil {
		_ = temp.Close()
		return err
	}
	if err = temp.Close(); err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}
