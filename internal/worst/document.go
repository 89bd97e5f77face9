package worst

import (
	"io"
	"slices"
	"strconv"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/measure"
	"ratelab/internal/result"
	"ratelab/internal/scenario"
)

// Document is what a search found for each algorithm: the traffic with which it admits the most in any interval of a
// length. Times are whole microseconds.
type Document struct {
	SchemaVersion int           `json:"schema_version"`
	Tool          result.Tool   `json:"tool"`
	Limit         result.Limit  `json:"limit"`
	WithinUS      int64         `json:"within_us"` // the interval's length
	LargestCost   int64         `json:"largest_cost"`
	Budget        int64         `json:"budget"` // decisions for each algorithm
	Seed          uint64        `json:"seed"`
	Server        result.Server `json:"server"` // whose scripts decide the files as the models do
	// interrupted: algorithms may be missing, and the last ones are not confirmed
	Partial bool      `json:"partial"`
	Results []Finding `json:"results"`
	Scripts []Met     `json:"scripts,omitempty"` // of the user's own
}

// Met is a user's script under all the traffic that was found: what is worst for it of what is worst for others. More
// may be possible, since nobody searched for that.
type Met struct {
	Algorithm       string  `json:"algorithm" jsonschema:"minLength=1"` // its label
	MostAdmitted    int64   `json:"most_admitted"`                      // in one window of the limit
	Overshoot       float64 `json:"overshoot"`                          // that over the limit
	WorstOf         string  `json:"worst_of"`                           // the algorithm whose worst traffic it was
	File            string  `json:"file"`
	DecisionsDigest string  `json:"decisions_digest" jsonschema:"pattern=^[0-9a-f]{32}$"`
}

// Meet takes in what the script of that label made of the traffic of a finding.
func (d *Document) Meet(f *Finding, label string, r *measure.Result) {
	met := Met{Algorithm: label, MostAdmitted: r.PeakWindowAdmitted, Overshoot: r.Overshoot, WorstOf: f.Algorithm,
		File: f.File, DecisionsDigest: r.DecisionsDigest}
	i := slices.IndexFunc(d.Scripts, func(m Met) bool { return m.Algorithm == met.Algorithm })
	switch {
	case i < 0:
		d.Scripts = append(d.Scripts, met)
	case d.Scripts[i].MostAdmitted < met.MostAdmitted:
		d.Scripts[i] = met
	}
}

// Finding is the worst traffic of one algorithm.
type Finding struct {
	Algorithm    string            `json:"algorithm" jsonschema:"minLength=1"`
	Parameters   map[string]string `json:"parameters"`
	Burst        int64             `json:"burst"`         // the capacity it was given
	MostAdmitted int64             `json:"most_admitted"` // in any interval of the length
	// the limit's: L in a window, otherwise r·w + burst, rounded down
	Allowance    int64   `json:"allowance"`
	Overshoot    float64 `json:"overshoot"` // MostAdmitted over Allowance
	Bound        int64   `json:"bound"`
	BoundReached float64 `json:"bound_reached"` // MostAdmitted over Bound
	Broken       bool    `json:"broken"`        // more than the bound: the algorithm or its bound is wrong
	Decisions    int64   `json:"decisions"`     // of the model, that the search took
	Complete     bool    `json:"complete"`      // the search ended by itself
	PhaseUS      int64   `json:"phase_us"`      // when it begins, after a multiple of the window on the clock
	Start        string  `json:"start"`
	File         string  `json:"file"` // the scenario's, in the folder of the document
	Requests     int64   `json:"requests"`
	Phases       int     `json:"phases"`
	Note         string  `json:"note,omitempty"`

	// Of the scenario under its own limit: the peak in one window, a shaper's whenever it leaves, and the hash of all
	// decisions, which the server's script makes as the model does where Confirmed is set.
	PeakWindowAdmitted int64  `json:"peak_window_admitted"`
	DecisionsDigest    string `json:"decisions_digest,omitempty" jsonschema:"pattern=^[0-9a-f]{32}$"`
	Confirmed          bool   `json:"confirmed"`
}

// Row sums up what was found; the server has yet to confirm it.
func (p Problem) Row(f *Found, s *scenario.Scenario) Finding {
	row := Finding{
		Algorithm:    p.Instance.Label,
		Parameters:   p.Instance.Parameters,
		Burst:        p.givenBurst(),
		MostAdmitted: f.Most,
		Bound:        f.Bound,
		Broken:       f.Broken(),
		Decisions:    f.Decisions,
		Complete:     f.Complete,
		PhaseUS:      p.PhaseUS(f),
		Start:        s.Start.UTC().Format(time.RFC3339Nano),
		File:         s.Name + ".yaml",
		Requests:     f.Attack.Requests(),
		Phases:       len(s.Phases),
		Note:         p.Note(f),
	}
	row.Allowance = p.allowance(p.measuredBurst(row.Burst))
	row.Overshoot = float64(f.Most) / float64(row.Allowance)
	row.BoundReached = float64(f.Most) / float64(f.Bound)
	for _, m := range s.Expect[0].Measures {
		if m.Measure == "peak_window_admitted" || m.Measure == peakOfArrivals {
			row.PeakWindowAdmitted = int64(m.Min)
		}
	}
	return row
}

// givenBurst is the capacity of the algorithm, or that of the limit that it goes by where it has no such parameter.
func (p Problem) givenBurst() int64 {
	given, _ := algorithms.InRole(algorithms.Capacity, p.Instance.Label, p.Instance.Parameters)
	if n, err := strconv.ParseInt(given, 10, 64); err == nil {
		return n
	}
	return p.Instance.Policy.Capacity()
}

// measuredBurst is the burst by which a row with that one is measured: its own, but where its whole limit is, that of
// the limit.
func (p Problem) measuredBurst(own int64) int64 {
	if p.Instance.Policy != p.Policy {
		return p.Policy.Capacity()
	}
	return own
}

// allowance is what the limit allows in the interval: L in a window, and in any other r·w and the burst.
func (p Problem) allowance(burst int64) int64 {
	if p.WithinUS == p.Policy.WindowUS() {
		return p.Policy.Requests
	}
	us, permits := p.Policy.Interval()
	return burst + fraction{p.WithinUS, us}.floorTimes(permits)
}

// Document is the part of a document that all its rows share.
func (p Problem) Document(version string) Document {
	return Document{
		SchemaVersion: result.Worst.Version,
		Tool:          result.Tool{Name: "simulate", Version: version},
		Limit:         result.LimitOf(p.Policy),
		WithinUS:      p.WithinUS,
		LargestCost:   p.LargestCost,
		Budget:        p.Budget,
		Seed:          p.Seed,
	}
}

// WriteJSON writes the document and a newline.
func WriteJSON(w io.Writer, d *Document) error { return result.Write(w, d) }
