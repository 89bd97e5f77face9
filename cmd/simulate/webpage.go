package main

import (
	"io"
	"path/filepath"

	"ratelab/algorithms"
	"ratelab/internal/atomicfile"
	"ratelab/internal/benchresult"
	"ratelab/internal/page"
	"ratelab/internal/simulate"
)

// The files of a result that are there once: the document, and the page that shows it.
const (
	resultFile = "result.json"
	indexPage  = "index.html"
)

// writePage writes the result as a web page into the folder; command is what makes it again.
func writePage(folder string, result *simulate.Result, bench *benchresult.Document, command string) error {
	return atomicfile.Write(filepath.Join(folder, indexPage), func(w io.Writer) error {
		return page.Write(w, pageInput(result, bench, command))
	})
}

// pageInput joins what was found with what the algorithms say of themselves, and what was measured, if anything.
func pageInput(result *simulate.Result, bench *benchresult.Document, command string) page.Input {
	in := page.Input{Document: &result.Document, Charts: result.Charts, Bench: bench, Command: command}
	for _, spec := range algorithms.All() {
		in.Algorithms = append(in.Algorithms, page.Algorithm{
			Name: spec.Name, Family: spec.Family, State: spec.State, Rule: spec.Rule, Bound: spec.Bound,
			Sources: spec.Sources,
		})
	}
	return in
}
