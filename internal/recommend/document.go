// Package recommend answers which rate limiter to take: of some candidates under some traffic, which keep a stated
// tolerance, in which order, and which figure excludes each of the others. It is arithmetic on the rows of a
// report.Document. It decides no request itself: who calls it says how scenarios are replayed.
package recommend

import "ratelab/internal/result"

// Document is the answer: which limiters keep a stated tolerance under some traffic, in which order, and which figure
// excludes each of the others. Shares are of the requests offered; times are whole microseconds.
type Document struct {
	SchemaVersion int         `json:"schema_version"`
	Kind          string      `json:"kind"`
	Tool          result.Tool `json:"tool"`

	Tolerance Tolerance `json:"tolerance"`
	// see Preferences
	Prefer  string        `json:"prefer" jsonschema:"enum=balanced,enum=strict,enum=generous,enum=cheap"`
	Traffic []Traffic     `json:"traffic" jsonschema:"minItems=1"`
	Server  result.Server `json:"server"`          // what decided for those that are Confirmed
	Costs   *CostSource   `json:"costs,omitempty"` // where the server's time was measured; absent: nobody asked

	// the first of the candidates that qualify; absent where none does
	Recommended string   `json:"recommended,omitempty"`
	Why         []string `json:"why"`  // in words: why it is before the second, or what comes nearest
	Ties        []Tie    `json:"ties"` // candidates that decide identically here

	// Candidates are all of them: those that qualify by rank, then the others, the nearest to the tolerance first.
	Candidates []Candidate `json:"candidates" jsonschema:"minItems=1"`
	LeftOut    []LeftOut   `json:"left_out"` // variants that cannot keep such a limit at all
}

// Traffic is one scenario as it was replayed.
type Traffic struct {
	Scenario   string       `json:"scenario" jsonschema:"minLength=1"`
	Question   string       `json:"question"`
	Seed       uint64       `json:"seed"`
	Limit      result.Limit `json:"limit"`
	DurationUS int64        `json:"duration_us"`
	Keys       int64        `json:"keys"`
	Offered    int64        `json:"offered"`
	Notes      []string     `json:"notes"`
}

// Candidate is one algorithm with its parameters, its worst figure in each respect, and what became of it.
type Candidate struct {
	// its label; burst=L/10 in it stands for a tenth of each scenario's limit
	Algorithm string `json:"algorithm" jsonschema:"minLength=1"`
	Rank      int    `json:"rank,omitempty" jsonschema:"minimum=1"` // from 1; absent where it does not qualify
	Qualifies bool   `json:"qualifies"`
	Burst     *int64 `json:"burst,omitempty"` // how much it admits at once; absent for scripts, and where limits differ

	// The worst of all scenarios, each with the scenario.
	Overshoot    Worst  `json:"overshoot"`     // the highest window, as a multiple of the limit
	FalseAdmits  Worst  `json:"false_admits"`  // share of what was offered
	FalseRejects Worst  `json:"false_rejects"` // share of what was offered
	Utilization  Worst  `json:"utilization"`   // the least
	RedisCalls   *Worst `json:"redis_calls_per_decision,omitempty"`
	// Promise is the most that it may admit in a window whatever the traffic, as a multiple of the limit; absent where
	// it promises nothing.
	Promise *Worst `json:"promise,omitempty"`

	ServerUS *float64 `json:"server_us_per_decision,omitempty"` // as measured in Costs
	CostOf   string   `json:"cost_measured_of,omitempty"`       // the label that was measured, where it is another

	ExcludedBy []Exclusion `json:"excluded_by"` // every figure that is beyond the tolerance
	Confirmed  bool        `json:"confirmed"`   // its Lua has decided on Server, as its Go model where it has one
	Scenarios  []Figures   `json:"scenarios" jsonschema:"minItems=1"`
}

// Worst is a figure and the scenario in which it was found.
type Worst struct {
	Value    float64 `json:"value"`
	Scenario string  `json:"scenario"`
}

// Exclusion is one figure that is beyond the tolerance.
type Exclusion struct {
	Measure  string   `json:"measure" jsonschema:"enum=overshoot,enum=false_rejects,enum=false_admits,enum=redis_calls_per_decision,enum=server_us_per_decision"`
	Scenario string   `json:"scenario,omitempty"` // absent for what no scenario changes
	Got      *float64 `json:"got,omitempty"`      // absent where it was not measured, so that nothing can be shown
	Most     float64  `json:"most"`
	Words    string   `json:"words"`
}

// Figures are what one candidate did in one scenario.
type Figures struct {
	Scenario  string `json:"scenario"`
	Algorithm string `json:"algorithm"` // its label there
	Burst     *int64 `json:"burst,omitempty"`

	Offered            int64   `json:"offered"`
	Admitted           int64   `json:"admitted"`
	PeakWindowAdmitted int64   `json:"peak_window_admitted"`
	Overshoot          float64 `json:"overshoot"`
	FalseAdmits        int64   `json:"false_admits"`
	FalseRejects       int64   `json:"false_rejects"`
	Utilization        float64 `json:"utilization"`
	DecisionsSHA256    string  `json:"decisions_sha256" jsonschema:"pattern=^[0-9a-f]{64}$"`

	Promised *int64 `json:"promised_window,omitempty"` // what it promises not to exceed in any window

	// OverLimitWithinUS is the shortest interval looked at, of a window at the most, in which more than the limit's
	// requests were admitted for one key: the time scale of the overshoot. Absent where none was, or none was looked
	// at.
	OverLimitWithinUS *int64 `json:"over_limit_within_us,omitempty"`
	// LargestExcess is where most admitted is the largest multiple of burst + r·w; absent where nobody looked.
	LargestExcess *Excess `json:"largest_excess,omitempty"`

	RedisCalls *float64 `json:"redis_calls_per_decision,omitempty"`
}

// Excess is the most that was admitted in an interval of one length, against what the limit allows in it.
type Excess struct {
	IntervalUS int64   `json:"interval_us"`
	Admitted   int64   `json:"admitted"`
	Limit      int64   `json:"limit"` // the limit's burst and r·w
	Ratio      float64 `json:"ratio"`
}

// Tie is a group of candidates that took the same decisions in every scenario.
type Tie struct {
	Algorithms []string `json:"algorithms"`
}

// LeftOut is a variant that cannot be made for the limit.
type LeftOut struct {
	Algorithm string `json:"algorithm"`
	Reason    string `json:"reason"`
}

// CostSource is the measurement that server times were read from.
type CostSource struct {
	Server  string `json:"server"`
	Machine string `json:"machine"`
	Traffic string `json:"traffic"` // of the measurement, in words
	Valid   bool   `json:"valid"`   // the generator was fit to measure
}
