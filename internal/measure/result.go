package measure

// Result has the figures of one row's decisions. Counts are requests; *_cost is in tokens. Each field has its
// definition. W is the limit's window and L its number of requests.
type Result struct {
	Offered  int64 `json:"offered"`
	Admitted int64 `json:"admitted"`
	Rejected int64 `json:"rejected"`
	Errors   int64 `json:"errors"`

	// NotConfigured counts rejected requests without a limit: a managed limiter has no such bucket, or the application
	// is not on its list. Unavailable counts errors that a binding or a scenario names as an outcome without a
	// decision.
	NotConfigured int64 `json:"not_configured,omitempty"`
	Unavailable   int64 `json:"unavailable,omitempty"`

	OfferedCost  int64 `json:"offered_cost"`
	AdmittedCost int64 `json:"admitted_cost"`

	// Peak is the largest cost admitted for one key in any half-open interval (t−W, t]. With several keys it is the
	// largest of theirs.
	Peak int64 `json:"peak"`
	// XLimit is Peak divided by L. Under a bucket contract it is the largest N/(B + L·t/W) of any key and any closed
	// interval [s, s+t], with N the cost admitted in the interval. Above 1 the limit is broken.
	XLimit float64 `json:"x_limit"`

	// Excess is the admitted cost that an exact limiter behind this one would reject: a Reference that receives only
	// the admitted requests. If it is 0, the limit held.
	Excess int64 `json:"excess"`

	// ExactCost is the cost that the Reference admits for the same requests. Lost is the share of ExactCost that this
	// limiter does not admit. For each key, the missing cost is what the Reference admits minus what this limiter
	// admits, if that is positive. Lost is the sum over the keys, divided by ExactCost.
	ExactCost int64   `json:"exact_cost"`
	Lost      float64 `json:"lost"`

	// UsersRejected counts the keys with at least one rejected request. UsersRejectedNeedlessly counts those of them
	// that the Reference never rejects.
	UsersRejected           int64 `json:"users_rejected"`
	UsersRejectedNeedlessly int64 `json:"users_rejected_needlessly"`

	// DecisionsDigest is the sum modulo 2^128, in hexadecimal, of the XXH3-128 of one line "t_us,key,cost,0|1\n" for
	// each request. The sum does not depend on the order of the lines, so the digests of parts can be added.
	DecisionsDigest string `json:"decisions_digest" jsonschema:"pattern=^([0-9a-f]{32})?$"`
}

// Series is the course of one row's admissions over time, in buckets of equal width from the scenario's start. All
// slices of one run have the same length and the same width. All counts are costs in tokens. A delayed request counts
// when it leaves.
type Series struct {
	BucketUS int64   `json:"bucket_us"`
	Admitted []int64 `json:"admitted"` // admitted in the bucket
	Rolling  []int64 `json:"rolling"`  // the highest sum over (t−W, t] of any one key at any t in the bucket
	// the longest wait of a request that arrived in the bucket; nil if no request was delayed
	DelayUS []int64 `json:"delay_us,omitempty"`
}

// Traffic is the offered cost, in the same buckets as the Series.
type Traffic struct {
	BucketUS int64   `json:"bucket_us"`
	Offered  []int64 `json:"offered"`
}
