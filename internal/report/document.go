// Package report writes down what was found: one document, as a table, JSON, CSV, Markdown or Go benchmark lines,
// and one row for each decision. It reads documents back and compares two of them. It measures nothing, draws
// nothing (see curves) and chooses no file.
package report

import (
	"ratelab/internal/measure"
	"ratelab/internal/result"
)

// Document is everything one invocation found, in the order in which it was asked for: what each algorithm did with
// each scenario's traffic. Times are whole microseconds; counts are requests, and names that end in _cost count
// permits.
type Document struct {
	SchemaVersion int         `json:"schema_version"`
	Tool          result.Tool `json:"tool"`
	Runs          []Run       `json:"runs"`
	// Examinations are of users' scripts, under standard traffics; absent where there are none.
	Examinations []Examination `json:"examinations,omitempty"`
}

// Examination is what standard traffics showed of a user's script.
type Examination struct {
	Algorithm  string       `json:"algorithm"` // its label
	ScriptSHA1 string       `json:"script_sha1"`
	Limit      result.Limit `json:"limit"` // under which it was examined
	Findings   []Finding    `json:"findings"`
}

// Finding is one thing that an examination found.
type Finding struct {
	Kind  string `json:"kind"`  // such as locks_out
	Fault bool   `json:"fault"` // nobody wants it of a limiter; else it is the price of a kind of limiter
	Text  string `json:"text"`  // with its figures
}

// Run is one scenario under every algorithm that was asked for, on one server.
type Run struct {
	Scenario   string        `json:"scenario" jsonschema:"minLength=1"`
	Question   string        `json:"question"`
	Seed       uint64        `json:"seed"`
	Clock      string        `json:"clock" jsonschema:"enum=virtual,enum=real"` // virtual or real
	Limit      result.Limit  `json:"limit"`
	DurationUS int64         `json:"duration_us"`
	Keys       int64         `json:"keys"` // distinct keys seen
	Server     result.Server `json:"server"`
	Partial    bool          `json:"partial"` // interrupted: the counts cover the beginning only

	Results []Row `json:"results"`
	// Reference is an exact limiter of the contract in the rows' place, independent of them all; absent where clients
	// react, since each row has requests of its own there.
	Reference *measure.Result `json:"reference,omitempty"`

	Expectations []Expectation `json:"expectations"`
	Notes        []string      `json:"notes"` // what a reader of the figures must know, such as lines that were sorted

	// TimeScales are the lengths of the intervals that the rows' MostAdmitted speaks of; absent on a real clock.
	TimeScales *TimeScales `json:"time_scales,omitempty"`
	// ClientGroups are the groups of clients that the scenario has, in the order of its file; absent where clients do
	// not react.
	ClientGroups []string `json:"client_groups,omitempty"`
}

// Row is one algorithm's line.
type Row struct {
	// its label: the name, and :k=v for each parameter set
	Algorithm  string            `json:"algorithm" jsonschema:"minLength=1"`
	ScriptSHA1 string            `json:"script_sha1" jsonschema:"pattern=^([0-9a-f]{40})?$"`
	Parameters map[string]string `json:"parameters"` // all of them, defaults included
	measure.Figures
}

// Expectation is one measure that the scenario's file promises, and what came of it.
type Expectation struct {
	Algorithm string   `json:"algorithm"`
	Measure   string   `json:"measure"`
	Want      string   `json:"want"`                      // an exact value, or a range such as 990..1010
	Got       *float64 `json:"got" jsonschema:"nullable"` // absent when the algorithm was not run
	Met       *bool    `json:"met" jsonschema:"nullable"` // absent when it could not be checked
}

// TimeScales are lengths of intervals, ascending, from 1 ms to ten windows, and what the contract allows in each. One
// of the lengths is the window.
type TimeScales struct {
	IntervalUS []int64 `json:"interval_us"`
	Limit      []int64 `json:"limit"`
}
