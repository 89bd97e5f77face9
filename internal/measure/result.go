package measure

// Result is what one algorithm did with one scenario's traffic. Counts are requests; *_cost counts permits.
// The definitions stand beside each field; W is the limit's window and L its requests.
type Result struct {
	Offered  int64 `json:"offered"`
	Admitted int64 `json:"admitted"`
	Rejected int64 `json:"rejected"`
	Errors   int64 `json:"errors"`

	// NotConfigured are the rejected that met no limit: a managed one has no such bucket, or the application is not on
	// its list. Unavailable are the errors that a binding or a scenario names as an outcome: nobody decided.
	NotConfigured int64 `json:"not_configured,omitempty"`
	Unavailable   int64 `json:"unavailable,omitempty"`

	OfferedCost  int64 `json:"offered_cost"`
	AdmittedCost int64 `json:"admitted_cost"`

	// PeakWindowAdmitted is, for one key, the largest admitted cost in any half-open interval (t−W, t]; of
	// several keys, the largest. Overshoot is it divided by L.
	PeakWindowAdmitted int64   `json:"peak_window_admitted"`
	Overshoot          float64 `json:"overshoot"`

	// Excess is, of what was admitted, what an exact limiter behind this one would still refuse: the Reference, fed
	// with the admissions alone. 0: the contract held.
	Excess     int64 `json:"excess"`
	ExcessCost int64 `json:"excess_cost"`

	// Shortfall is what an exact limiter in the place of this one would have let through, the Reference, fed with the
	// same requests, less what this one let through within the contract, admitted less excess: for each key, where that
	// is more than nothing, and added up. 0: each key was let through as much as an exact limiter would have.
	Shortfall     int64 `json:"shortfall"`
	ShortfallCost int64 `json:"shortfall_cost"`
	// ExactCost is the cost that the Reference let through of these requests.
	ExactCost int64 `json:"exact_cost"`

	// DiffersFromExact counts the decisions that go the other way than those of an exact limiter in the same place.
	// Once two limiters have differed their states differ, too, so that this is no quality: an exact limiter that
	// missed one request differs in many.
	DiffersFromExact int64 `json:"differs_from_exact"`

	// Utilization is the admitted cost over L · duration/W · keys seen.
	Utilization float64 `json:"utilization"`

	// DecisionsDigest is the sum modulo 2^128, in hexadecimal, of the XXH3-128 of one line "t_us,key,cost,0|1\n" for
	// each request. A sum does not depend on the order of the lines, so that those of parts add up.
	DecisionsDigest string `json:"decisions_digest" jsonschema:"pattern=^([0-9a-f]{32})?$"`
}

// Series is how one algorithm's admissions went over time, in buckets of equal width from the scenario's
// start; all slices of one run have the same length and the same width. All counts are permits (cost), which
// count when they leave.
type Series struct {
	BucketUS int64   `json:"bucket_us"`
	Admitted []int64 `json:"admitted"` // admitted in the bucket
	Rolling  []int64 `json:"rolling"`  // the highest (t−W, t] sum of any one key at any t in the bucket
	// the longest that what arrived in the bucket has to wait; nil where nothing was delayed
	DelayUS []int64 `json:"delay_us,omitempty"`
	Keys    []int64 `json:"keys,omitempty"` // alive on the server at the end of the bucket; nil where nobody counts them
}

// Traffic is what was offered, in the buckets of the Series beside it.
type Traffic struct {
	BucketUS int64   `json:"bucket_us"`
	Offered  []int64 `json:"offered"`
}
