// Package result has the documents of simulate and bench: their types, how they become JSON, how a file is read back,
// and how two of simulate's are compared. What is not the document that was asked for, not of this version, or not
// whole, is refused by name, and with the remedy. It holds the JSON Schemas of all documents, which a test makes of the
// Go types.
//
// It measures nothing and writes nothing for people: see report. The other documents are in recommend, compare and
// usage.
package result

import "strings"

// Form is a kind of document.
type Form struct {
	File    string // what it is called by itself
	Of      string // the command that writes it
	Version int    // its schema_version, which grows when a field changes its meaning
	Kind    string // what its field kind says; empty where it has none
	Field   string // without a kind, the field by which it is told
	Again   string // how another one is made
	Sealed  bool   // its last field is a checksum
}

// The documents.
var (
	Simulation = Form{File: "result.json", Of: "simulate", Version: Version, Field: "runs",
		Again: "run simulate again"}
	Recommendation = Form{File: "recommendation.json", Of: "simulate recommend", Version: 3, Kind: "recommendation",
		Again: "ask again"}
	Bench = Form{File: "bench.json", Of: "bench run", Version: 2, Kind: "bench", Again: "measure again",
		Sealed: true}
	Comparison = Form{File: "comparison.json", Of: "bench compare", Version: 3, Kind: "comparison",
		Again: "compare again"}
	Usage = Form{File: "usage.json", Of: "simulate limits", Version: 2, Kind: "usage", Again: "look again"}
)

// Forms are all of them.
func Forms() []Form {
	return []Form{Simulation, Recommendation, Bench, Comparison, Usage}
}

// String is the form in words: a bench.json of bench run.
func (f Form) String() string { return "a " + f.File + " of " + f.Of }

// program is the one that writes the form.
func (f Form) program() string {
	name, _, _ := strings.Cut(f.Of, " ")
	return name
}

// original is what to do about a file that is not as it was written.
func (f Form) original() string {
	return "take the file as " + f.program() + " wrote it, or " + f.Again
}
