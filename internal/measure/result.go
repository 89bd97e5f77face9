package measure

// Result is what one algorithm did with one scenario's traffic. Counts are requests; *_cost counts permits.
// The definitions stand beside each field; W is the limit's window and L its requests.
type Result struct {
	Offered      int64 `json:"offered"`
	Admitted     int64 `json:"admitted"`
	Rejected     int64 `json:"rejected"`
	Errors       int64 `json:"errors"`
	OfferedCost  int64 `json:"offered_cost"`
	AdmittedCost int64 `json:"admitted_cost"`

	// PeakWindowAdmitted is, for one key, the largest admitted cost in any half-open interval (t−W, t]; of
	// several keys, the largest. Overshoot is it divided by L.
	PeakWindowAdmitted int64   `json:"peak_window_admitted"`
	Overshoot          float64 `json:"overshoot"`

	// FalseAdmits were admitted here and rejected by the exact reference; FalseRejects the reverse.
	FalseAdmits  int64 `json:"false_admits"`
	FalseRejects int64 `json:"false_rejects"`

	// Utilization is the admitted cost over L · duration/W · keys seen.
	Utilization float64 `json:"utilization"`

	// DecisionsSHA256 is the hash over one line "t_us,key,cost,0|1\n" for each request.
	DecisionsSHA256 string `json:"decisions_sha256" jsonschema:"pattern=^([0-9a-f]{64})?$"`
}

// Series is how one algorithm's admissions went over time, in buckets of equal width from the scenario's
// start; all slices of one run have the same length and the same width. All counts are permits (cost).
type Series struct {
	BucketUS int64
	Admitted []int64 // admitted in the bucket
	Rolling  []int64 // the highest (t−W, t] sum of any one key at any t in the bucket
}

// Traffic is what was offered, in the buckets of the Series beside it.
type Traffic struct {
	BucketUS int64
	Offered  []int64
}
