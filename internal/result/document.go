// Package result defines the document that simulate and bench write, and writes, reads and compares it. Read refuses a
// document of another command or version and an incomplete one. Its error names the file and the remedy. A test
// generates the JSON Schema from the Go types.
//
// It does not measure, and does not write for people: see report.
package result

import (
	_ "embed" // the schema
	"iter"
	"reflect"
	"slices"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/measure"
)

// Version is the schema_version of all documents. It is increased if a field changes its meaning.
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
	OfCheck     Command = "simulate check"
	OfDecisions Command = "simulate compare"
)

// Document has all results of one command, in the order of the request. Lists that the command does not produce are
// absent. Times are whole microseconds. Counts are requests, and names that end in _cost count tokens.
type Document struct {
	SchemaVersion int     `json:"schema_version"`
	Command       Command `json:"command"`
	Tool          Tool    `json:"tool"`
	// Measurement describes the measurement on the wall clock; absent if everything was decided in virtual time.
	*Measurement `json:"measurement,omitempty"`
	// Traffic describes the traffic of answers, users and frontiers; absent if the runs describe it.
	Traffic *Traffic `json:"traffic,omitempty"`

	Runs         []Run         `json:"runs,omitempty"`
	Latency      []Latency     `json:"latency,omitempty"`   // of each row of the runs, open loop
	Examinations []Examination `json:"findings,omitempty"`  // of users' scripts, under standard traffics
	Verdicts     []Verdict     `json:"verdicts,omitempty"`  // of scripts that are compared with each other
	Answers      []Answer      `json:"answers,omitempty"`   // one for each contract
	Users        []Users       `json:"users,omitempty"`     // one for each reading of a log's whole seconds
	InFlight     []InFlight    `json:"in_flight,omitempty"` // by reading; only with --in-flight
	Frontier     []Frontier    `json:"frontier,omitempty"`  // by reading; absent if limits were given

	// Files are the scripts and bindings that check accepted, by name. If one of them changes, check shows the changed
	// decisions.
	Files map[string]string `json:"files,omitempty"`

	Notes []string `json:"notes"` // facts that are needed to understand the figures
}

// New returns an empty document of a command.
func New(command Command, version string) *Document {
	return &Document{SchemaVersion: Version, Command: command, Tool: Tool{Name: command.program(), Version: version}}
}

// Measurement describes when, where and how a document's times were measured, and whether they are valid.
type Measurement struct {
	Started    time.Time   `json:"started"`
	TookUS     int64       `json:"took_us"`
	Partial    bool        `json:"partial"` // interrupted: only the finished rounds are included
	Server     BenchServer `json:"server"`
	Machine    Machine     `json:"machine"`
	Generator  Generator   `json:"generator"`
	Settings   Settings    `json:"settings"`
	Validity   Validity    `json:"validity"`
	NoiseFloor NoiseFloor  `json:"noise_floor"`
}

// Examination has the findings about a limiter's script under standard traffic.
type Examination struct {
	Algorithm  string `json:"algorithm"` // the limiter's label
	ScriptSHA1 string `json:"script_sha1"`
	Limit      Limit  `json:"limit"` // the limit of the examination
	// the reason if the script was not examined; then there are no findings
	NotExamined string `json:"not_examined,omitempty"`
	Partial     bool   `json:"partial,omitempty"` // interrupted: only the findings until then
	// the kind of limiter in words; empty if no known rule decides alike
	Family string `json:"family"`
	// the known rule with the fewest differences; empty if a rule decides alike
	Nearest string `json:"nearest,omitempty"`
	// the most requests that examine made it admit in one window
	Worst    int64     `json:"worst"`
	Findings []Finding `json:"found"`            // faults first
	Checked  []string  `json:"checked"`          // how much was tried, and then each law that held
	Server   *Server   `json:"server,omitempty"` // the server on which it was examined
}

// Faults returns how many findings are faults. Faults come first in Findings.
func (e *Examination) Faults() (n int) {
	for n < len(e.Findings) && e.Findings[n].Fault {
		n++
	}
	return n
}

// NotExamined is the kind that Without yields for a script that was not examined. Nearest is the kind of a finding that
// is only a note. It names the rule that explains most plays of a script that no rule explains, and a play that the
// rule does not explain.
const (
	NotExamined = "not_examined"
	Nearest     = "nearest"
)

// IsNote reports whether a finding is only a note, which does not change a verdict.
func (f *Finding) IsNote() bool {
	return f.Kind == Nearest || f.Kind == "undeclared_key" || f.Kind == "lua_51_only"
}

// Without yields the kind and the text of each finding of a kind that other lacks. If e's script was not examined,
// Without yields that as a finding, with the reason.
func (e *Examination) Without(other *Examination) iter.Seq2[string, string] {
	return func(yield func(kind, words string) bool) {
		if e.NotExamined != other.NotExamined && e.NotExamined != "" &&
			!yield(NotExamined, "not examined: "+e.NotExamined) {
			return
		}
		for i := range e.Findings {
			f, what := &e.Findings[i], "property: "
			if f.IsNote() {
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

// Finding is one finding of an examination.
type Finding struct {
	Kind  string `json:"kind"`           // such as never_expires
	Name  string `json:"name,omitempty"` // the name of a fault, in words
	Fault bool   `json:"fault"`          // wrong in any limiter; otherwise a property of a kind of limiter
	Text  string `json:"text"`           // the finding with figures
	Limit Limit  `json:"limit"`          // the limit at which it occurs
	// Limits are several limits, if the finding is about them.
	Limits   []NamedLimit `json:"limits,omitempty"`
	Line     int          `json:"line,omitempty"` // the line of the script that a note is about; absent if unknown
	File     string       `json:"file,omitempty"` // the scenario whose traffic demonstrates it
	Requests int64        `json:"requests"`       // of that traffic
	Traffic  []Volley     `json:"traffic"`
	// BehindUS is how far the clock of the client of every second request is behind; absent if 0.
	BehindUS int64 `json:"behind_us,omitempty"`
	// Counterexample has the decisions on that traffic; nil if the fault is not about what is admitted. It is not
	// written.
	Counterexample *Counterexample `json:"-"`
}

// Counterexample has the decisions of a script and of a right limiter on the traffic that shows a fault. They differ.
type Counterexample struct {
	Requests      []limit.Request  // times count from the scenario's start
	Script, Right []limit.Decision // on each request
	Rule          string           // of the right limiter, in words
}

// String returns the finding in words.
func (f *Finding) String() string {
	if f.Name == "" {
		return f.Text
	}
	return f.Name + ": " + f.Text
}

// Volley describes requests of one key, one or several at each instant.
type Volley struct {
	AtUS     int64  `json:"at_us"` // the first instant, since the start
	Requests int64  `json:"requests"`
	EveryUS  int64  `json:"every_us"` // from one instant to the next
	AtOnce   int64  `json:"at_once"`  // requests at each instant
	Key      string `json:"key"`
	Cost     int64  `json:"cost"`

	TakesUS int64 `json:"takes_us,omitempty"` // how long each request runs; 0: unknown
	Actual  int64 `json:"actual,omitempty"`   // the cost at the end of each request; 0: the cost
	Dies    bool  `json:"dies,omitempty"`     // the holder dies after takes_us, and never ends the request
}

// Virtual is the clock of every run.
const Virtual = "virtual"

// Run has the results of one scenario with all requested algorithms on one server.
type Run struct {
	Scenario string `json:"scenario" jsonschema:"minLength=1"`
	Question string `json:"question"`
	Seed     uint64 `json:"seed"`
	Clock    string `json:"clock" jsonschema:"enum=virtual"`
	Limit    Limit  `json:"limit"` // the first, if there are several
	// Limits are several limits on each request; absent if there is one.
	Limits     []NamedLimit `json:"limits,omitempty"`
	DurationUS int64        `json:"duration_us"`
	// FirstUS and LastUS are the times of a log's first and last request, since 1970; absent if the log does not say.
	FirstUS int64  `json:"first_us,omitempty"`
	LastUS  int64  `json:"last_us,omitempty"`
	Keys    int64  `json:"keys"` // distinct keys seen
	Server  Server `json:"server"`
	Partial bool   `json:"partial"` // interrupted: the counts cover only the beginning
	Played  *Part  `json:"played,omitempty"`

	Results []Row `json:"results"`
	// Reference is the exact limiter of the contract, which is independent of all rows. It is absent for reactive
	// clients, because each row then gets other requests.
	Reference *measure.Result `json:"reference,omitempty"`
	// ReferenceLimits has its figures about several limits.
	ReferenceLimits *measure.Several `json:"reference_limits,omitempty"`

	Expectations []Expectation `json:"expectations"`
	// facts that are needed to understand the figures, such as lines that were sorted
	Notes []string `json:"notes"`

	// TimeScales has the lengths of the intervals for which the rows' MostAdmitted has values, and what the limit
	// allows in each.
	TimeScales *TimeScales `json:"time_scales,omitempty"`
	// Sweeps has the rows of each --sweep, which differ in one parameter. It is absent without --sweep.
	Sweeps []Sweep `json:"sweeps,omitempty"`
	// ClientGroups are the names of the scenario's groups of clients, in the order of its file; absent if clients do
	// not react.
	ClientGroups []string `json:"client_groups,omitempty"`
}

// Sweep has rows that differ in the value of one parameter.
type Sweep struct {
	Of        string     `json:"of"` // the row without the parameter
	Parameter string     `json:"parameter"`
	Duration  bool       `json:"duration,omitempty"` // the values are in µs
	Rows      []string   `json:"rows"`
	Values    []*float64 `json:"values"` // null: no number
}

// Part is the part of a scenario that bench run plays. The run is about this part, but DurationUS is the duration of
// the whole scenario.
type Part struct {
	ScenarioSHA256 string `json:"scenario_sha256" jsonschema:"pattern=^[0-9a-f]{64}$"`
	FromUS         int64  `json:"from_us"`   // the start of the part in the scenario
	LengthUS       int64  `json:"length_us"` // the length of the part
	OnLate         string `json:"on_late" jsonschema:"enum=queue,enum=drop,enum=fatal"`
}

// Row has the results of one limiter.
type Row struct {
	// its label: the name, and :k=v for each given parameter
	Algorithm  string            `json:"algorithm" jsonschema:"minLength=1"`
	ScriptSHA1 string            `json:"script_sha1" jsonschema:"pattern=^([0-9a-f]{40})?$"`
	Parameters map[string]string `json:"parameters"` // all parameters, defaults included
	measure.Figures
}

// Expectation is a measure with the value that the scenario's file expects, and its actual value.
type Expectation struct {
	Algorithm string   `json:"algorithm"`
	Measure   string   `json:"measure"`
	Want      string   `json:"want"`                      // an exact value, or a range such as 990..1010
	Got       *float64 `json:"got" jsonschema:"nullable"` // null if the algorithm was not run
	Met       *bool    `json:"met" jsonschema:"nullable"` // null if it could not be checked
}

// TimeScales are lengths of intervals, ascending, from 1 ms to ten windows, with the most that the contract allows in
// each. One of the lengths is the window.
type TimeScales struct {
	Of         string  `json:"of,omitempty"` // the name of the limit, if there are several
	IntervalUS []int64 `json:"interval_us"`
	Limit      []int64 `json:"limit"`
}

// ReferenceLabel is the name of the exact limiter in all outputs with rows.
const ReferenceLabel = "exact reference"

// Find returns the row with that name, or nil.
func (r *Run) Find(name string) *Row {
	return first(r.Results, func(row *Row) bool { return row.Algorithm == name })
}

// first returns the first element for which wanted returns true, or nil.
func first[T any](list []T, wanted func(*T) bool) *T {
	for i := range list {
		if wanted(&list[i]) {
			return &list[i]
		}
	}
	return nil
}

// Figures returns the figures of all rows, followed by those of the exact reference if there is one.
func (r *Run) Figures() []*measure.Figures {
	var all []*measure.Figures
	for i := range r.Results {
		all = append(all, &r.Results[i].Figures)
	}
	if r.Reference != nil {
		all = append(all, r.ReferenceFigures())
	}
	return all
}

// ReferenceFigures returns the figures of the exact reference.
func (r *Run) ReferenceFigures() *measure.Figures {
	return &measure.Figures{Result: *r.Reference, Several: r.ReferenceLimits}
}

// HasCosts reports whether any request costs more than 1.
func (r *Run) HasCosts() bool {
	return slices.ContainsFunc(r.Figures(), func(f *measure.Figures) bool { return f.OfferedCost != f.Offered })
}

// Alike groups rows with the same decisions whose admitted requests leave at the same times. If there are sweeps, each
// row is a group of its own. A group has the place of its first row. The floor is always a group of its own.
func (r *Run) Alike() [][]*Row {
	var groups [][]*Row
	for i := range r.Results {
		row := &r.Results[i]
		like := func(group []*Row) bool { return r.Sweeps == nil && row.isAlike(group[0]) }
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
		slices.Equal(r.MostAdmitted, o.MostAdmitted) && reflect.DeepEqual(r.Several, o.Several) &&
		reflect.DeepEqual(r.Ends, o.Ends)
}

// Everywhere returns the names of the rows that all runs have, in the order of the first run. If there are no such
// rows, it returns the names of all rows.
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

// RequestsEnd reports whether the rows hold slots, or settle costs, until their requests end.
func (r *Run) RequestsEnd() bool {
	return r.Limit.Contract == limit.ByFlight ||
		slices.ContainsFunc(r.Results, func(row Row) bool { return row.Ends != nil })
}

// Situation returns why a run does not compare the limiters themselves, or "" if it does. In a comparison all rows
// decide the same requests, all clocks are right, and the server is always available.
func (r *Run) Situation() string {
	with := func(what func(*Row) bool) bool {
		return slices.ContainsFunc(r.Results, func(row Row) bool { return what(&row) })
	}
	switch {
	case r.RequestsEnd():
		return "requests end"
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
