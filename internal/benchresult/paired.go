package benchresult

import "ratelab/internal/measure"

// Paired is what bench compare --base --head found: both sides measured in turn, in one run.
type Paired struct {
	Header
	Base Side        `json:"base"`
	Head Side        `json:"head"`
	Rows []PairedRow `json:"algorithms"`
	// absent: nobody asked for it
	Counted *Counted `json:"counted,omitempty"`
	// why no times were measured; absent where they were to be
	Untimed string `json:"untimed,omitempty"`
}

// Side is one of the two.
type Side struct {
	Name   string `json:"name"` // as it was asked for: a script's file, a label, an image
	Server Server `json:"server"`
}

// PairedRow is one algorithm, or one script against another.
type PairedRow struct {
	Name    string     `json:"name"`
	Base    PairedSide `json:"base"`
	Head    PairedSide `json:"head"`
	Pairs   []Pair     `json:"pairs"`
	Confirm []Pair     `json:"confirm"` // the second run, where the first found a slower client
	// the script of a pinned release, counted and not timed
	Pinned *PairedSide `json:"pinned,omitempty"`
}

// PairedSide is what one side is and what was counted there.
type PairedSide struct {
	Identity
	Exact []ExactRun `json:"exact"`
	Work  Work       `json:"work"`
}

// ExactRun is the decisions on one scenario in virtual time.
type ExactRun struct {
	Scenario       string `json:"scenario"`
	ScenarioSHA256 string `json:"scenario_sha256" jsonschema:"pattern=^[0-9a-f]{64}$"`
	measure.Result
}

// Pair is one measurement of each side and of the control beside them. HeadFirst tells the order; successive pairs
// alternate (ABBA), so that a drift hurts both sides alike.
type Pair struct {
	HeadFirst bool     `json:"head_first"`
	Base      Sample   `json:"base"`
	Head      Sample   `json:"head"`
	Controls  []Sample `json:"controls"` // none: one for each server, base's first
}
