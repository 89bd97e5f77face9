// Package result is the form of the documents that simulate and bench write: what all of them begin with, how they
// become JSON, and how a file is read back. What is not the document that was asked for, not of this version, or not
// whole, is refused by name, and with the remedy. It holds their JSON Schemas, which a test makes of the Go types.
//
// What is in a document, its package says: report, benchresult, recommend, worst, compare,
// costresult, usage, tune and change.
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
	Simulation     = Form{File: "result.json", Of: "simulate", Version: 2, Field: "runs", Again: "run simulate again"}
	Recommendation = Form{File: "recommendation.json", Of: "simulate recommend", Version: 2, Kind: "recommendation",
		Again: "ask again"}
	Worst = Form{File: "worst.json", Of: "simulate worst", Version: 2, Field: "within_us", Again: "search again"}
	Bench = Form{File: "bench.json", Of: "bench run", Version: 2, Kind: "bench", Again: "measure again",
		Sealed: true}
	Paired = Form{File: "paired.json", Of: "bench compare --base --head", Version: 2, Kind: "paired",
		Again: "measure again", Sealed: true}
	BenchShard = Form{File: "bench-shard.json", Of: "bench run --shard", Version: 1, Kind: "bench-shard",
		Again: "measure all shards again", Sealed: true}
	Comparison = Form{File: "comparison.json", Of: "bench compare", Version: 2, Kind: "comparison",
		Again: "compare again"}
	Change = Form{File: "change.json", Of: "simulate compare", Version: 1, Kind: "change", Again: "compare again"}
	Usage  = Form{File: "usage.json", Of: "simulate limits", Version: 1, Kind: "usage", Again: "look again"}
	Tune   = Form{File: "tune.json", Of: "simulate tune", Version: 1, Kind: "tune", Again: "tune again"}
	Shard  = Form{File: "shard.json", Of: "simulate --shard", Version: 1, Kind: "shard",
		Again: "run simulate --shard again", Sealed: true}
	Cost = Form{File: "cost.json", Of: "bench cost", Version: 1, Kind: "cost", Again: "count again"}
)

// Forms are all of them.
func Forms() []Form {
	return []Form{Simulation, Recommendation, Worst, Bench, Paired, Comparison, Cost, Usage, Change, Tune, Shard,
		BenchShard}
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
