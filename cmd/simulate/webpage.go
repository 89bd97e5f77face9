package main

import (
	"io"
	"path/filepath"

	"ratelab/algorithms"
	"ratelab/internal/atomicfile"
	"ratelab/internal/page"
	"ratelab/internal/simulate"
)

// The files of a result that are there once: the document, and the page that shows it.
const (
	resultFile = "result.json"
	indexPage  = "index.html"
)

// writePage writes the result as a web page into the folder; command is what makes it again.
func writePage(folder string, result *simulate.Result, command string) error {
	return atomicfile.Write(filepath.Join(folder, indexPage), func(w io.Writer) error {
		return page.Write(w, pageInput(result, command))
	})
}

// pageInput joins what was found with what the algorithms say of themselves.
func pageInput(result *simulate.Result, command string) page.Input {
	in := page.Input{Document: &result.Document, Charts: result.Charts, Command: command}
	for _, spec := range algorithms.All() {
		in.Algorithms = append(in.Algorithms, page.Algorithm{
			Name: spec.Name, Family: spec.Family, State: spec.State, Rule: spec.Rule, Bound: spec.Bound,
			Sources: spec.Sources,
		})
	}
	return in
}
