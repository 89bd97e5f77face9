// Package result defines the document that simulate and bench write, and writes, reads and compares it. Read refuses a
// document of another command or version and an incomplete one; the error names the file and the remedy. A test
// generates the JSON Schema from the Go types.
//
// It measures nothing and writes nothing for people: see report.
package result

import (
	_ "embed" // the schema
	"iter"
	"reflect"
	"slices"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/measure"
)

// Version is the schema_version of every document. It grows when a field changes its meaning.
const Version = 3

// Schema is the JSON Schema (draft 2020-12) of a document.
//
//go:embed result.schema.json
var Schema []byte

// Command is a command that writes a document.
type Command string

// The commands that write documents.
const (
	OfSimulate  Command = "simulate"
	OfRecommend Command = "simulate recommend"
	OfLimits    Command = "simulate limits"
	OfExamine   Command = "simulate examine"
	OfBench     Command = "bench run"
	OfCompare   Command = "bench compare"
)

// Document is everything that one command found, in the order in which it was asked for. A list that the command does
// not make is absent. Times are whole microseconds; counts are requests, and names that end in _cost count permits.
type Document struct {
	SchemaVersion int     `json:"schema_version"`
	Command       Command `json:"command"`
	Tool          Tool    `json:"tool"`
	// Measurement is how the wall clock was read; absent where everything is decided in virtual time.
	*Measurement `json:"measurement,omitempty"`
	// Traffic is what answers, users and frontiers are about; absent where the runs say it.
	Traffic *Traffic `json:"traffic,omitempty"`

	Runs         []Run         `json:"runs,omitempty"`
	Latency      []Latency     `json:"latency,omitempty"`   // of each row of the runs, open loop
	Examinations []Examination `json:"findings,omitempty"`  // of users' scripts, under standard traffics
	Verdicts     []Verdict     `json:"verdicts,omitempty"`  // of scripts that are compared
	Answers      []Answer      `json:"answers,omitempty"`   // one for each contract that is answered for
	Users        []Users       `json:"users,omitempty"`     // one for each reading of a log's whole seconds
	InFlight     []InFlight    `json:"in_flight,omitempty"` // by reading; with --in-flight alone
	Frontier     []Frontier    `json:"frontier,omitempty"`  // by reading; absent where limits were asked for

	// Files are the scripts and bindings that check accepted, by name: whoever changes one is shown what it now decides
	// otherwise.
	Files map[string]string `json:"files,omitempty"`

	Notes []string `json:"notes"` // what a reader of the figures must know
}

// New is an empty document of a command.
func New(command Command, version string) *Document {
	return &Document{SchemaVersion: Version, Command: command, Tool: Tool{Name: command.program(), Version: version}}
}

// Measurement is when, where and how a document's times were measured, and whether they can be trusted.
type Measurement struct {
	Started    time.Time   `json:"started"`
	TookUS     int64       `json:"took_us"`
	Partial    bool        `json:"partial"` // interrupted: the rounds that were finished
	Server     BenchServer `json:"server"`
	Machine    Machine     `json:"machine"`
	Generator  Generator   `json:"generator"`
	Settings   Settings    `json:"settings"`
	Validity   Validity    `json:"validity"`
	NoiseFloor NoiseFloor  `json:"noise_floor"`
}

// Examination is what standard traffic showed of a limiter's script.
type Examination struct {
	Algorithm   string    `json:"algorithm"` // the limiter's label
	ScriptSHA1  string    `json:"script_sha1"`
	Limit       Limit     `json:"limit"`                  // at which it was examined
	NotExamined string    `json:"not_examined,omitempty"` // why not; then there are no findings
	Partial     bool      `json:"partial,omitempty"`      // interrupted: what had been found
	Family      string    `json:"family"`                 // the kind of limiter in words; empty where none decides alike
	Nearest     string    `json:"nearest,omitempty"`      // the rule that departs least; empty where one fits
	Worst       int64     `json:"worst"`                  // the most requests that it was made to admit in one window
	Findings    []Finding `json:"found"`                  // faults first
	Checked     []string  `json:"checked"`                // how much was tried, and then each law that held
	Server      *Server   `json:"server,omitempty"`       // on which it was examined
}

// Faults is how many findings are faults; they come first.
func (e *Examination) Faults() (n int) {
	for n < len(e.Findings) && e.Findings[n].Fault {
		n++
	}
	return n
}

// NotExamined is the kind of what Without yields of a script that was not examined. Nearest is the kind of a finding
// that is a note: the rule that explains most plays of a script that none explains, and a play in which it differs.
const (
	NotExamined = "not_examined"
	Nearest     = "nearest"
)

// Without yields the kind and the words of each finding whose kind other does not have. A script that was not examined,
// and why, is such a finding.
func (e *Examination) Without(other *Examination) iter.Seq2[string, string] {
	return func(yield func(kind, words string) bool) {
		if e.NotExamined != other.NotExamined && e.NotExamined != "" &&
			!yield(NotExamined, "not examined: "+e.NotExamined) {
			return
		}
		for i := range e.Findings {
			f, what := &e.Findings[i], "property: "
			if f.Kind == Nearest {
				continue
			}
			if f.Fault {
				what = "fault: "
			}
			known := func(o Finding) bool { return o.Kind == f.Kind && o.Fault == f.Fault }
			if !slices.ContainsFunc(other.Findings, known) && !yield(what+f.Kind, what+f.String()) {
				return
			}
		}
	}
}

// Finding is one thing that an examination found.
type Finding struct {
	Kind     string   `json:"kind"`           // such as never_expires
	Name     string   `json:"name,omitempty"` // of a fault, in words
	Fault    bool     `json:"fault"`          // wrong in any limiter; otherwise a property of a kind of limiter
	Text     string   `json:"text"`           // with figures
	Limit    Limit    `json:"limit"`          // at which it occurs
	File     string   `json:"file,omitempty"` // the scenario with the traffic that shows it
	Requests int64    `json:"requests"`       // of that traffic
	Traffic  []Volley `json:"traffic"`
	// BehindUS is by how much the clock of every other request's client is behind; absent for 0.
	BehindUS int64 `json:"behind_us,omitempty"`
}

// String is the finding in words.
func (f *Finding) String() string {
	if f.Name == "" {
		return f.Text
	}
	return f.Name + ": " + f.Text
}

// Volley is requests of one key, one or several at each instant.
type Volley struct {
	AtUS     int64  `json:"at_us"` // the first instant, since the start
	Requests int64  `json:"requests"`
	EveryUS  int64  `json:"every_us"` // from one instant to the next
	AtOnce   int64  `json:"at_once"`  // requests at each instant
	Key      string `json:"key"`
	Cost     int64  `json:"cost"`
}

// Virtual is the clock of every run.
const Virtual = "virtual"

// Run is one scenario under every algorithm that was asked for, on one server.
type Run struct {
	Scenario   string `json:"scenario" jsonschema:"minLength=1"`
	Question   string `json:"question"`
	Seed       uint64 `json:"seed"`
	Clock      string `json:"clock" jsonschema:"enum=virtual"`
	Limit      Limit  `json:"limit"`
	DurationUS int64  `json:"duration_us"`
	// FirstUS and LastUS are a log's first and last request, since 1970; absent where the log does not say.
	FirstUS int64  `json:"first_us,omitempty"`
	LastUS  int64  `json:"last_us,omitempty"`
	Keys    int64  `json:"keys"` // distinct keys seen
	Server  Server `json:"server"`
	Partial bool   `json:"partial"` // interrupted: the counts cover the beginning only
	Played  *Part  `json:"played,omitempty"`

	Results []Row `json:"results"`
	// Reference is an exact limiter of the contract in the rows' place, independent of them all; absent where clients
	// react, since each row has requests of its own there.
	Reference *measure.Result `json:"reference,omitempty"`

	Expectations []Expectation `json:"expectations"`
	Notes        []string      `json:"notes"` // what a reader of the figures must know, such as lines that were sorted

	// TimeScales are the lengths of the intervals that the rows' MostAdmitted speaks of.
	TimeScales *TimeScales `json:"time_scales,omitempty"`
	// ClientGroups are the groups of clients that the scenario has, in the order of its file; absent where clients do
	// not react.
	ClientGroups []string `json:"client_groups,omitempty"`
}

// Part is what bench run plays of a scenario, and all that the run is of; DurationUS is that of the whole scenario.
type Part struct {
	ScenarioSHA256 string `json:"scenario_sha256" jsonschema:"pattern=^[0-9a-f]{64}$"`
	FromUS         int64  `json:"from_us"`   // where in the scenario a round begins to play
	LengthUS       int64  `json:"length_us"` // how much of it a round plays
	OnLate         string `json:"on_late" jsonschema:"enum=queue,enum=drop,enum=fatal"`
}

// Row is one algorithm's line.
type Row struct {
	// its label: the name, and :k=v for each parameter set
	Algorithm  string            `json:"algorithm" jsonschema:"minLength=1"`
	ScriptSHA1 string            `json:"script_sha1" jsonschema:"pattern=^([0-9a-f]{40})?$"`
	Parameters map[string]string `json:"parameters"` // all of them, defaults included
	measure.Figures
}

// Expectation is one measure that the scenario's file expects, and its figure.
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

// ReferenceLabel names the row of the exact sliding log in every output that has rows.
const ReferenceLabel = "exact reference"

// Find is the row of that name, or nil.
func (r *Run) Find(name string) *Row {
	return first(r.Results, func(row *Row) bool { return row.Algorithm == name })
}

// first is the first of a list that is wanted, or nil.
func first[T any](list []T, wanted func(*T) bool) *T {
	for i := range list {
		if wanted(&list[i]) {
			return &list[i]
		}
	}
	return nil
}

// Figures are those of all rows, and of the exact reference after them where there is one.
func (r *Run) Figures() []*measure.Figures {
	var all []*measure.Figures
	for i := range r.Results {
		all = append(all, &r.Results[i].Figures)
	}
	if r.Reference != nil {
		all = append(all, &measure.Figures{Result: *r.Reference})
	}
	return all
}

// HasCosts reports whether any request costs more than 1.
func (r *Run) HasCosts() bool {
	return slices.ContainsFunc(r.Figures(), func(f *measure.Figures) bool { return f.OfferedCost != f.Offered })
}

// Alike groups rows that decided every request alike, and whose admitted requests left at the same moments. A group
// stands at its first row's place. The floor is a group by itself.
func (r *Run) Alike() [][]*Row {
	var groups [][]*Row
	for i := range r.Results {
		row := &r.Results[i]
		like := func(group []*Row) bool { return row.isAlike(group[0]) }
		if g := slices.IndexFunc(groups, like); g >= 0 {
			groups[g] = append(groups[g], row)
		} else {
			groups = append(groups, []*Row{row})
		}
	}
	return groups
}

func (r *Row) isAlike(o *Row) bool {
	return r.DecisionsDigest != "" && r.DecisionsDigest == o.DecisionsDigest &&
		!algorithms.IsFloor(r.Algorithm) && !algorithms.IsFloor(o.Algorithm) &&
		reflect.DeepEqual(r.Shaping, o.Shaping) &&
		slices.Equal(r.MostAdmitted, o.MostAdmitted)
}

// Everywhere are the names of the rows that every run has, in the order of the first run; of all rows, where no row is
// in every run.
func (d *Document) Everywhere() []string {
	var common, every []string
	for i := range d.Runs {
		for j := range d.Runs[i].Results {
			n := d.Runs[i].Results[j].Algorithm
			if slices.Contains(every, n) {
				continue
			}
			every = append(every, n)
			if !slices.ContainsFunc(d.Runs, func(r Run) bool { return r.Find(n) == nil }) {
				common = append(common, n)
			}
		}
	}
	if common == nil {
		return every
	}
	return common
}

// Situation says why a run does not compare the limiters themselves; "": it does. In a comparison all rows decide the
// same requests, all clocks are correct, and the server is always available.
func (r *Run) Situation() string {
	with := func(what func(*Row) bool) bool {
		return slices.ContainsFunc(r.Results, func(row Row) bool { return what(&row) })
	}
	switch {
	case with(func(row *Row) bool { return row.Unavailable > 0 }):
		return "the server fails"
	case with(func(row *Row) bool { return row.Race != nil }):
		return "commands interleave"
	case with(func(row *Row) bool { return row.ClockEffect != nil }):
		return "a clock is wrong"
	case len(r.ClientGroups) > 0:
		return "clients react, so that each limiter meets requests of its own"
	}
	return ""
}
