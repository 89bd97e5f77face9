package chart

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"ratelab/internal/atomicfile"
)

// Picture is a page under a file name, with the data behind it.
type Picture struct {
	Name string // of the files, without folder and extension
	Page
	Data []byte // CSV
}

// Formats lists the picture formats that WriteAll knows.
func Formats() []string { return []string{"svg", "png"} }

// checkFormats refuses a format that is none of Formats.
func checkFormats(formats []string) error {
	for _, format := range formats {
		if !slices.Contains(Formats(), format) {
			return fmt.Errorf("chart format %q: want one of %s", format, strings.Join(Formats(), ", "))
		}
	}
	return nil
}

// WriteAll draws the pictures into dir, which must exist, in the formats named, or all where none is, and puts the
// data of each beside it. It returns the paths, of each picture those of the formats first. A file appears whole or not
// at all. The data is written first: where a kill comes in between, it tells whose the picture is.
func WriteAll(dir string, pictures []Picture, formats ...string) ([]string, error) {
	if err := checkFormats(formats); err != nil {
		return nil, err
	}
	if len(formats) == 0 {
		formats = Formats()
	}
	var paths []string
	for _, p := range pictures {
		base := filepath.Join(dir, p.Name)
		if err := put(base+".csv", p.Data); err != nil {
			return paths, err
		}
		for _, format := range formats {
			if err := put(base+"."+format, p.Encode(format)); err != nil {
				return paths, err
			}
			paths = append(paths, base+"."+format)
		}
		paths = append(paths, base+".csv")
	}
	return paths, nil
}

// WriteSVG draws the picture into dir, without its data, and returns its path.
func (p Picture) WriteSVG(dir string) (string, error) {
	path := filepath.Join(dir, p.Name+".svg")
	return path, put(path, p.Encode("svg"))
}

// put writes a file whole or not at all, so that nobody meets half a picture.
func put(path string, data []byte) error {
	err := atomicfile.Write(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	if err != nil {
		return fmt.Errorf("chart: %w", err)
	}
	return nil
}
