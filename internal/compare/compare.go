// Package compare compares two sides that the benchmark measured in turn, in one run, and says whether the newer one is
// worse: decisions exactly, work exactly or within 1 %, timings by statistics. It runs nothing and reads no file; a
// command maps the outcome to an exit status.
//
// The gates, from exact to noisy:
//
//	decisions    any difference is a regression
//	work         calls, round trips and keys: any increase; bytes and allocations: more than 1 %
//	instructions counted by path: more than CountSlack is a regression, in a container more than ContainerSlack; where
//	             they were counted the timings are a second opinion
//	server-cost  the server's µs per decision: a regression where the interval of the ratio lies above Tolerated, the
//	             same where it lies within 1/Equivalent to Equivalent
//	client-p50   the client's median service time: likewise, and the server or a second run that says so too
//	client-p99   shown with its interval, never judged
//
// The intervals of all rows, gates and looks of a comparison hold together: with a probability of at most Alpha any of
// them lies above the true ratio, and with as much any of them below. So this is the family-wise level of every wrong
// regression, improvement or sameness, however often it was looked.
//
// A timing gate that cannot tell (a wide interval, an unstable control, an invalid run) is inconclusive, which is
// neither good nor bad news and has an exit status of its own.
//
// Note: two runs are not compared. From one to the next a machine changes by more than most changes of a script do, so
// that their timings could hardly ever be judged.
package compare

import (
	"time"

	"ratelab/internal/benchresult"
	"ratelab/internal/result"
)

// The thresholds.
const (
	Alpha      = 0.01 // that any interval lies above the true ratio; as much that any lies below
	Tolerated  = 1.05 // the ratio head/base that is no regression yet; its inverse no improvement
	Equivalent = 1.10 // what lies within this ratio and its inverse is the same
	WorkSlack  = 0.01 // of bytes and allocations
	CountSlack = 0.01 // of the instructions of a path
	// ContainerSlack is that of a container's server.
	ContainerSlack = 0.04

	steadyStep  = 1.35 // the control's typical change from one measurement to the next; more is unstable
	steadyDrift = 1.50 // the control's change from the first third of the run to the last; more is unstable
)

// The gates' names, in the order in which they are shown.
const (
	GateDecisions    = "decisions"
	GateWork         = "work"
	GateInstructions = "instructions"
	GateServerCost   = "server-cost"
	GateClientP50    = "client-p50"
	GateClientP99    = "client-p99"
)

// wayPaired is how the sides were measured: in turn, in one run.
const wayPaired = "paired"

// Report is what a comparison came to.
type Report struct {
	SchemaVersion int      `json:"schema_version"`
	Kind          string   `json:"kind"`                         // "comparison"
	Way           string   `json:"way" jsonschema:"enum=paired"` // measured in turn, in one run
	Base          Party    `json:"base"`                         // the old side
	Head          Party    `json:"head"`                         // the new side
	Verdict       Verdict  `json:"verdict"`
	Gates         []Gate   `json:"gates"`
	Notes         []string `json:"notes"` // what was left out, and what a reader must know

	paired *benchresult.Paired // what was compared, for WriteBench
	pairs  int                 // with how many everything could probably be told; 0: they are no remedy
}

// Party is one of the two sides.
type Party struct {
	Name    string      `json:"name"` // a script, a label or an image
	Tool    result.Tool `json:"tool"`
	Started time.Time   `json:"started"`
	Server  string      `json:"server"`
}

// Verdict is the comparison in one word and in sentences.
type Verdict struct {
	// OK (improvements included), Regression or Inconclusive
	Outcome  Outcome  `json:"outcome" jsonschema:"enum=ok,enum=regression,enum=inconclusive"`
	ExitCode int      `json:"exit_code" jsonschema:"enum=0,enum=1,enum=4"`
	Findings []string `json:"findings"` // regressions first, then what could not be judged, then improvements
	Remedies []string `json:"remedies"` // what would make an inconclusive comparison conclusive
}

// Gate is one kind of comparison, over all algorithms.
type Gate struct {
	Name string `json:"name" jsonschema:"enum=decisions,enum=work,enum=instructions,enum=server-cost,enum=client-p50,enum=client-p99"`
	Rule string `json:"rule"`
	// the worst of its rows'
	Outcome Outcome     `json:"outcome" jsonschema:"enum=regression,enum=inconclusive,enum=improvement,enum=same,enum=noted"`
	Reasons []string    `json:"reasons"` // why rows could not be judged, or were not meant to be
	Rows    []Judgement `json:"rows"`

	remedies []string
	pairs    int // with how many it could probably tell; 0: they are no remedy
}

// Judgement is one measure of one algorithm on the two sides.
type Judgement struct {
	Algorithm string  `json:"algorithm"`
	Where     string  `json:"where"` // of decisions the scenario, of instructions the path; else empty
	Measure   string  `json:"measure" jsonschema:"minLength=1"`
	Base      Value   `json:"base"` // of a timing the median
	Head      Value   `json:"head"`
	Outcome   Outcome `json:"outcome" jsonschema:"enum=regression,enum=inconclusive,enum=improvement,enum=same,enum=noted"`
	Statement string  `json:"statement" jsonschema:"minLength=1"`
	Timing    *Timing `json:"timing,omitempty"`
}

// Timing is the statistics of a row. Ratios are head over base; a bound of the interval is absent where there are too
// few measurements for it, a figure where there were none.
type Timing struct {
	Test      string   `json:"test" jsonschema:"enum=sign test"`
	Samples   int      `json:"samples"`                                         // pairs
	Look      int      `json:"look"`                                            // which look at the row this is, from 1
	Ratio     *float64 `json:"ratio,omitempty" jsonschema:"exclusiveMinimum=0"` // the median of the pairs' own
	RatioLow  *float64 `json:"ratio_low,omitempty" jsonschema:"exclusiveMinimum=0"`
	RatioHigh *float64 `json:"ratio_high,omitempty" jsonschema:"exclusiveMinimum=0"`
	// of this interval by itself; all intervals of a comparison hold together with 0.98
	Confidence float64 `json:"confidence" jsonschema:"maximum=1"`
	// about how many pairs are missing for a verdict
	MorePairs int `json:"more_pairs,omitempty" jsonschema:"minimum=1"`
	// what is left of the ratio when the control's is taken out
	RatioToControl *float64 `json:"ratio_to_control,omitempty" jsonschema:"exclusiveMinimum=0"`
	// of the same code against itself, see benchresult.NoiseFloor
	NoiseFloor *float64 `json:"noise_floor,omitempty" jsonschema:"minimum=1"`
	Control    *Control `json:"control,omitempty"`
	Confirm    *Timing  `json:"confirm,omitempty"` // the second run

	logs estimate // of the ratio's logarithm
}
