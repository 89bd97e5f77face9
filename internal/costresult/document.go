// Package costresult is the document of counted cost: instructions for each decision of a script, on each path through
// it. It writes the document as a table, JSON, CSV and Markdown, and reads it back. Counting is the package cost's job.
package costresult

import (
	"slices"

	"ratelab/internal/result"
)

// Control is the label of the row that decides nothing: what the network, parsing and EVALSHA itself take.
const Control = "none"

// The states of a key in which a decision is counted.
const (
	First    = "first"    // of a new key
	Steady   = "steady"   // one request for each permit's interval, W/L
	Burst    = "burst"    // requests at one instant on a new key, its first included
	Rejected = "rejected" // the capacity is taken
	Expired  = "expired"  // the key's TTL has passed, and the server has not yet removed it
	Cost2    = "cost 2"   // a request of cost 2 when two permits have come back
	CostB    = "cost B"   // the whole capacity at once, of a new key
	FullLog  = "full log" // a log of L entries, of which the oldest has just left
	Any      = "any"      // a script that does the same whatever the state is
)

// States are all of them that have to do with a key, in the order in which they are shown.
func States() []string {
	return []string{First, Steady, Burst, Rejected, Expired, Cost2, CostB, FullLog}
}

// Document is what decisions cost a server, counted.
type Document struct {
	SchemaVersion int           `json:"schema_version"`
	Kind          string        `json:"kind"`
	Tool          result.Tool   `json:"tool"`
	Server        result.Server `json:"server"`
	// of a container
	Image string `json:"image,omitempty"`
	// the version of the valgrind whose callgrind has counted
	Valgrind string `json:"valgrind" jsonschema:"minLength=1"`
	// of the processor, such as amd64
	Architecture string `json:"architecture" jsonschema:"minLength=1"`
	// interrupted: rows and paths may be missing
	Partial bool  `json:"partial"`
	Rows    []Row `json:"rows"`
}

// Row is one script, or one version of it. The control is the first.
type Row struct {
	Algorithm  string            `json:"algorithm" jsonschema:"minLength=1"` // its label
	Parameters map[string]string `json:"parameters"`
	ScriptSHA1 string            `json:"script_sha1" jsonschema:"pattern=^[0-9a-f]{40}$"`
	Paths      []Path            `json:"paths"`
	Missing    []Missing         `json:"missing"`
}

// Path is a way through a script: the state of a key, under a limit. Its figures are means over its decisions.
type Path struct {
	State string       `json:"state"`
	Limit result.Limit `json:"limit"`
	// that were counted at a time: where that was done again, the figures are of the least count
	Decisions int `json:"decisions" jsonschema:"minimum=1"`
	// of the whole server, from reading the request to writing the reply
	Instructions float64 `json:"instructions_per_decision"`
	// Instructions as a multiple of the control's
	RatioToControl float64 `json:"ratio_to_control"`
	// calls of malloc and its kin; absent where the server's program does not name them
	Allocations *float64 `json:"server_allocations_per_decision,omitempty"`
	// commands that the script issues
	Commands float64 `json:"redis_commands_per_decision"`
	// that a replica would be sent
	ReplicatedBytes float64 `json:"replicated_bytes_per_decision"`
	// of the key with its name, after the decision; absent where there is none
	BytesPerKey *int64 `json:"bytes_per_key,omitempty"`
}

// Missing is a path that a script does not have.
type Missing struct {
	State  string        `json:"state"`
	Limit  *result.Limit `json:"limit,omitempty"` // absent: under any
	Reason string        `json:"reason"`
}

// Of is the row of a label, or nil.
func (d *Document) Of(label string) *Row {
	i := slices.IndexFunc(d.Rows, func(r Row) bool { return r.Algorithm == label })
	if i < 0 {
		return nil
	}
	return &d.Rows[i]
}

// Mean is the mean of the instructions over all paths of a row, each counting once; 0 without any.
func (r *Row) Mean() float64 {
	if len(r.Paths) == 0 {
		return 0
	}
	sum := 0.0
	for _, p := range r.Paths {
		sum += p.Instructions
	}
	return sum / float64(len(r.Paths))
}

// Range are the least and the most instructions of a row's paths.
func (r *Row) Range() (least, most float64) {
	for i, p := range r.Paths {
		if i == 0 || p.Instructions < least {
			least = p.Instructions
		}
		most = max(most, p.Instructions)
	}
	return least, most
}

// Read reads what WriteJSON wrote: a file, or the one in a folder. It refuses, as a *result.BadFile, any other.
func Read(path string) (*Document, error) {
	data, form, err := result.Read(path, result.Cost)
	if err != nil {
		return nil, err
	}
	var d Document
	return &d, result.Decode(path, data, form, &d)
}
