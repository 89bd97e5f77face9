// Package recommend answers which rate limiter to take, twice: of some candidates, which keep a stated tolerance under
// some traffic, in most of the seeds that it is drawn with; and which promise to keep it under any. Both answers
// are in an order, the cheapest first, and whatever is in neither has the figure that excludes it. It is arithmetic on
// the rows of a report.Document. It decides no request itself: who calls it says how scenarios are replayed.
package recommend

import (
	"ratelab/internal/limit"
	"ratelab/internal/measure"
	"ratelab/internal/result"
)

// Document is the two answers: which limiters keep a stated tolerance under some traffic, and which promise to keep it
// under any. Times are whole microseconds.
type Document struct {
	SchemaVersion int         `json:"schema_version"`
	Kind          string      `json:"kind"`
	Tool          result.Tool `json:"tool"`

	Tolerance Tolerance `json:"tolerance"`
	// see Preferences
	Prefer  string        `json:"prefer" jsonschema:"enum=cheap,enum=strict,enum=generous"`
	Traffic []Traffic     `json:"traffic" jsonschema:"minItems=1"`
	Server  result.Server `json:"server"`            // what decided for those that are Confirmed
	Costs   *CostSource   `json:"costs,omitempty"`   // where the server's time was measured; absent: nobody asked
	Counted *CountSource  `json:"counted,omitempty"` // where instructions were counted; absent: nobody asked

	OnThisTraffic Answer `json:"on_this_traffic"` // those that keep the tolerance in enough of the seeds
	OnAnyTraffic  Answer `json:"on_any_traffic"`  // those whose own promise is within the tolerance
	// in words, where the first of one answer is not the first of the other
	Finding string `json:"finding,omitempty"`
	// where nobody named a contract: what the other one would choose
	OtherContract *OtherContract `json:"other_contract,omitempty"`
	Notes         []string       `json:"notes"` // what else a reader must know, in words
	Ties          []Tie          `json:"ties"`  // candidates that decide, and let go, identically here

	// Candidates are all of them: the first answer's by rank, then the second's that are not in it, then the others,
	// the nearest to the tolerance first.
	Candidates []Candidate `json:"candidates" jsonschema:"minItems=1"`
	LeftOut    []LeftOut   `json:"left_out"` // variants that cannot keep such a limit at all
}

// Answer is who is in one of the two answers, the first to take first. Who decides this traffic alike, and on any
// traffic promises the same with the same burst, is one there: of one rank, the cheapest first.
type Answer struct {
	Algorithms []string `json:"algorithms"`
	Why        []string `json:"why"` // in words: why the first is before the second, or what comes nearest
}

// First is whom the answer recommends; "" where nobody is in it.
func (a *Answer) First() string {
	if len(a.Algorithms) == 0 {
		return ""
	}
	return a.Algorithms[0]
}

// OtherContract is whom both answers recommend under the contract that was not asked for; "" for nobody.
type OtherContract struct {
	Contract      limit.Contract `json:"contract" jsonschema:"type=string,enum=window,enum=bucket"`
	OnThisTraffic string         `json:"on_this_traffic"`
	OnAnyTraffic  string         `json:"on_any_traffic"`
}

// Traffic is one scenario as it was replayed.
type Traffic struct {
	Scenario   string       `json:"scenario" jsonschema:"minLength=1"`
	Question   string       `json:"question"`
	Seed       uint64       `json:"seed"`                          // the first
	Seeds      int          `json:"seeds" jsonschema:"minimum=1"`  // how many were played: one where none changes it
	Needed     int          `json:"needed" jsonschema:"minimum=1"` // in how many the tolerance must be kept
	Limit      result.Limit `json:"limit"`
	DurationUS int64        `json:"duration_us"` // as the others with the first seed
	Keys       int64        `json:"keys"`
	Offered    int64        `json:"offered"`                 // where clients react: what they want done
	Reacts     bool         `json:"clients_react,omitempty"` // so that each row has requests of its own
	// how many of the offered tell those apart who are in the first answer: one of them admits, another does not;
	// absent where there are not two, or one without a model
	ToldApart *int64   `json:"told_apart,omitempty"`
	Notes     []string `json:"notes"`
}

// Candidate is one algorithm with its parameters, its worst figure in each respect, and what became of it.
type Candidate struct {
	// its label; burst=L/10 in it stands for a tenth of each scenario's limit
	Algorithm string `json:"algorithm" jsonschema:"minLength=1"`
	// from 1 in each answer, the same of those that are one in it; absent where it is not in that one
	RankOnThisTraffic int    `json:"rank_on_this_traffic,omitempty" jsonschema:"minimum=1"`
	RankOnAnyTraffic  int    `json:"rank_on_any_traffic,omitempty" jsonschema:"minimum=1"`
	Burst             *int64 `json:"burst,omitempty"` // how much it admits at once; absent for scripts, and where limits differ

	// Of the scenario in which it keeps the tolerance in the smallest share of the seeds: in how many of how many.
	Kept  int `json:"kept"`
	Seeds int `json:"seeds" jsonschema:"minimum=1"`

	// Of the scenario in which the median is worst.
	Overshoot Worst `json:"overshoot"` // the most let through, as a multiple of what the contract allows
	Excess    Worst `json:"excess"`    // share of what it admitted; 0 where clients react
	// share of what an exact limiter lets through, or, where clients react, of what its clients get done
	Shortfall Worst `json:"shortfall"`

	// Of clients that react, of the scenario in which the median is worst; absent where they react in none.
	Goodput         *Worst `json:"goodput_per_second,omitempty"`
	Amplification   *Worst `json:"amplification,omitempty"`          // tries a success
	TimeToSuccessUS *Worst `json:"time_to_success_us_p99,omitempty"` // of a hundred successes the last but one

	// Promise is the most that it may let through whatever the traffic, as a multiple of what the contract allows;
	// absent where it promises nothing.
	Promise  *Promise `json:"promise,omitempty"`
	DelaysUS *int64   `json:"may_delay_us,omitempty"` // of a shaper: the most that it may delay what it admits

	RedisCalls *float64 `json:"redis_calls_per_decision,omitempty"` // the most in any scenario
	// Of the admitted decisions and of the rejected ones, the most in any scenario. What rejects more takes fewer
	// commands on average, since a rejection writes nothing: candidates are ordered by the first.
	CallsAdmitting *float64 `json:"redis_calls_per_admitted,omitempty"`
	CallsRejecting *float64 `json:"redis_calls_per_rejected,omitempty"`

	// of the commands of all tries, the most in any scenario; absent unless clients react in all
	CallsPerSuccess *float64 `json:"redis_calls_per_success,omitempty"`

	// what one key takes when a log of it would be fullest, or, where clients react, those that are left at the end on
	// average; the most in any scenario; real servers only
	BytesPerKey *float64 `json:"bytes_per_key,omitempty"`
	ServerUS    *float64 `json:"server_us_per_decision,omitempty"` // as measured in Costs
	CostOf      string   `json:"cost_measured_of,omitempty"`       // the label that was measured, where it is another
	// the mean over all paths of the script that were counted in Counted, each counting once
	Instructions *float64 `json:"instructions_per_decision,omitempty"`

	// every figure that keeps it out of the first answer, and out of the second
	ExcludedBy []Exclusion `json:"excluded_by"`
	Unpromised []Exclusion `json:"unpromised"`
	Confirmed  bool        `json:"confirmed"` // its Lua has decided on Server, as its Go model where it has one
	Scenarios  []Figures   `json:"scenarios" jsonschema:"minItems=1"`
}

// Spread is a figure over all seeds.
type Spread struct {
	Median float64 `json:"median"` // of an even number the mean of the two in the middle
	Least  float64 `json:"least"`
	Most   float64 `json:"most"`
}

// Worst is a figure and the scenario in which it was found.
type Worst struct {
	Spread
	Scenario string `json:"scenario"`
}

// Promise is an algorithm's own bound, where it is the largest multiple of what the contract allows.
type Promise struct {
	Ratio      float64 `json:"ratio"`
	Scenario   string  `json:"scenario"`
	IntervalUS int64   `json:"interval_us"`
	Bound      int64   `json:"bound"`
	Allowed    int64   `json:"allowed"`
	// the most that a search for the worst traffic got out of the model in such an interval; absent: not searched
	Found *int64 `json:"found,omitempty"`
}

// Exclusion is one figure that is beyond the tolerance.
type Exclusion struct {
	Measure string `json:"measure" jsonschema:"enum=overshoot,enum=shortfall,enum=excess,enum=delay,enum=amplification,enum=promise,enum=redis_calls_per_decision,enum=bytes_per_key,enum=server_us_per_decision"`
	// absent for what no scenario changes
	Scenario string `json:"scenario,omitempty"`
	// what would have to be tolerated; absent where it was not measured, so that nothing can be shown
	Got   *float64 `json:"got,omitempty"`
	Most  float64  `json:"most"`
	Words string   `json:"words"`
}

// Figures are what one candidate did in one scenario.
type Figures struct {
	Scenario  string `json:"scenario"`
	Algorithm string `json:"algorithm"` // its label there
	Burst     *int64 `json:"burst,omitempty"`
	Kept      int    `json:"kept"` // in how many of the seeds it keeps the tolerance

	Overshoot Spread `json:"overshoot"`
	Excess    Spread `json:"excess"`
	Shortfall Spread `json:"shortfall"`

	Goodput         *Spread `json:"goodput_per_second,omitempty"`
	Amplification   *Spread `json:"amplification,omitempty"`
	TimeToSuccessUS *Spread `json:"time_to_success_us_p99,omitempty"`

	Runs []Played `json:"runs" jsonschema:"minItems=1"` // one for each seed
}

// Played is what one candidate did in one scenario with one seed.
type Played struct {
	Seed               uint64  `json:"seed"`
	Kept               bool    `json:"kept"` // within the tolerance
	Offered            int64   `json:"offered"`
	Admitted           int64   `json:"admitted"`
	PeakWindowAdmitted int64   `json:"peak_window_admitted"`
	Overshoot          float64 `json:"overshoot"` // the most let through, as a multiple of what the contract allows
	AdmittedCost       int64   `json:"admitted_cost"`
	ExactCost          int64   `json:"exact_cost"` // what an exact limiter lets through
	ExcessCost         int64   `json:"excess_cost"`
	ShortfallCost      int64   `json:"shortfall_cost"`

	Clients         *Served              `json:"clients,omitempty"`  // of those that react
	DelayUS         *measure.Percentiles `json:"delay_us,omitempty"` // of a shaper that delayed something
	DecisionsDigest string               `json:"decisions_digest" jsonschema:"pattern=^[0-9a-f]{32}$"`
}

// Served is what clients that react got of a row.
type Served struct {
	GoodputPerSecond      float64 `json:"goodput_per_second"`
	ExactGoodputPerSecond float64 `json:"exact_goodput_per_second"` // of the same clients against an exact limiter
	// tries a success, or all tries where nothing succeeded
	Amplification   float64              `json:"amplification"`
	TimeToSuccessUS *measure.Percentiles `json:"time_to_success_us,omitempty"`
}

// Tie is a group of candidates that took the same decisions in every scenario, and let go at the same moments.
type Tie struct {
	Algorithms []string `json:"algorithms"`
}

// LeftOut is a variant that cannot be made for the limit.
type LeftOut struct {
	Algorithm string `json:"algorithm"`
	Reason    string `json:"reason"`
}

// CountSource is where instructions were counted.
type CountSource struct {
	Server       string `json:"server"`
	Valgrind     string `json:"valgrind"`
	Architecture string `json:"architecture"`
}

// CostSource is the measurement that server times were read from.
type CostSource struct {
	Server  string `json:"server"`
	Machine string `json:"machine"`
	Traffic string `json:"traffic"` // of the measurement, in words
	Valid   bool   `json:"valid"`   // the generator was fit to measure
}
