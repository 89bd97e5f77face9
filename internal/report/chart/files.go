package chart

import (
	"fmt"
	"io"

	"ratelab/internal/wholefile"
)

// put writes a file whole or not at all, so that nobody meets half a picture.
func put(path string, data []byte) error {
	err := wholefile.Write(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	if err != nil {
		return fmt.Errorf("chart: %w", err)
	}
	return nil
}
