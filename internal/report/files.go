package report

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"ratelab/internal/atomicfile"
	"ratelab/internal/result"
)

// The files beside bench.json.
const (
	benchFileName = "bench.txt" // Go benchmark format
	hgrmFolder    = "hgrm"      // a percentile distribution for each scenario, algorithm, outcome and duration

	// oldLogName is an HdrHistogram log that earlier versions wrote. It is removed: it is of another run.
	oldLogName = "latency.hlog"
)

// output is a file to be: its path below the folder, and what is in it.
type output struct {
	path string
	text []byte
}

// WriteFiles writes r and what other tools read of it into dir, which it makes: bench.json, bench.txt and hgrm/*.hgrm.
// It returns the paths. bench.json comes last and that of an earlier run goes first, so that where it stands the others
// are of the same run, also after a kill in the middle; distributions and the log of an earlier run are removed.
// Nothing is touched before all has been put together.
func WriteFiles(dir string, r *result.Benchmark) ([]string, error) {
	files, err := outputs(r)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(dir, hgrmFolder), 0o755); err != nil {
		return nil, err
	}
	for _, name := range []string{result.Bench.File, oldLogName} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	if err := atomicfile.Sweep(filepath.Join(dir, hgrmFolder)); err != nil {
		return nil, err
	}
	if err := removeStale(dir, files); err != nil {
		return nil, err
	}
	var paths []string
	for _, f := range files {
		path := filepath.Join(dir, f.path)
		if err := atomicfile.Write(path,
			func(w io.Writer) error { _, err := w.Write(f.text); return err }); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// outputs are all files, bench.json the last.
func outputs(r *result.Benchmark) ([]output, error) {
	var files []output
	for _, form := range []struct {
		name  string
		write func(io.Writer, *result.Benchmark) error
	}{{benchFileName, writeBenchLines}, {result.Bench.File, func(w io.Writer,
		r *result.Benchmark) error {
		return result.Write(w, r)
	}}} {
		var text bytes.Buffer
		if err := form.write(&text, r); err != nil {
			return nil, err
		}
		files = append(files, output{form.name, text.Bytes()})
	}
	distributions, err := hgrmFiles(r)
	if err != nil {
		return nil, err
	}
	for i := range distributions {
		distributions[i].path = filepath.Join(hgrmFolder, distributions[i].path)
	}
	return slices.Insert(files, 1, distributions...), nil
}

// removeStale removes distributions that will not be written again: beside another run's bench.json they would mislead.
func removeStale(dir string, files []output) error {
	found, err := os.ReadDir(filepath.Join(dir, hgrmFolder))
	if err != nil {
		return err
	}
	for _, entry := range found {
		path := filepath.Join(hgrmFolder, entry.Name())
		again := slices.ContainsFunc(files, func(f output) bool { return f.path == path })
		if again || filepath.Ext(path) != ".hgrm" {
			continue
		}
		if err := os.Remove(filepath.Join(dir, path)); err != nil {
			return err
		}
	}
	return nil
}
