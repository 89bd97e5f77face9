package change

import (
	"ratelab/internal/result"
)

// Document is what was found.
type Document struct {
	SchemaVersion int           `json:"schema_version"`
	Kind          string        `json:"kind" jsonschema:"enum=change"`
	Tool          result.Tool   `json:"tool"`
	Server        result.Server `json:"server"`
	Base          Side          `json:"base"`
	Head          Side          `json:"head"`
	Verdicts      bool          `json:"verdicts"` // only these were compared: nothing that else is told
	Work          bool          `json:"work"`     // more work is a fault as well
	Outcome       Outcome       `json:"outcome" jsonschema:"enum=same,enum=different,enum=dearer"`
	Partial       bool          `json:"partial"` // it was interrupted
	Rows          []Row         `json:"rows"`
	Notes         []string      `json:"notes"`
}

// Side is what was compared.
type Side struct {
	Name       string `json:"name"`
	ScriptSHA1 string `json:"script_sha1"`
}

// Row is one traffic that both sides met.
type Row struct {
	Traffic  string       `json:"traffic"` // a scenario, or what was generated
	Limit    result.Limit `json:"limit"`
	Requests int64        `json:"requests"`
	// requests that one side admits and the other does not, or delays for another time
	DecidedOtherwise int64 `json:"decided_otherwise"`
	// of the others those with another remaining or retry_after_us
	ToldOtherwise int64 `json:"told_otherwise"`
	// the first request that is decided otherwise, or, where none is, the first that is told otherwise
	First *Difference `json:"first,omitempty"`
	Base  Spent       `json:"base"`
	Head  Spent       `json:"head"`
}

// Spent is what one side's decisions came to.
type Spent struct {
	Admitted       int64 `json:"admitted"`
	RedisCalls     int64 `json:"redis_calls"`           // that its script made, in all
	KeysWithoutTTL int64 `json:"keys_left_without_ttl"` // at the time of the last request
}

// Difference is a request to which the two sides give another answer.
type Difference struct {
	Number int64  `json:"number"` // of the traffic's requests, from 1
	AtUS   int64  `json:"t_us"`   // since its start
	Key    string `json:"key"`
	Cost   int64  `json:"cost"`
	Base   Answer `json:"base"`
	Head   Answer `json:"head"`
}

// Answer is what a client is told.
type Answer struct {
	Allowed      int   `json:"allowed"` // 1 admitted, 0 rejected, -1 not configured, -2 nobody decided
	Remaining    int64 `json:"remaining"`
	RetryAfterUS int64 `json:"retry_after_us"`
	DelayUS      int64 `json:"delay_us"`
}

// Outcome is the verdict on a change.
type Outcome string

// The outcomes.
const (
	Same      Outcome = "same"
	Different Outcome = "different" // another decision, or another answer
	Dearer    Outcome = "dearer"    // the same answers, with more work than before
)

// differs reports whether any request got another answer.
func (r *Row) differs() bool { return r.DecidedOtherwise+r.ToldOtherwise > 0 }

// dearer reports whether a side that decides the same does more.
func (r *Row) dearer() bool {
	return r.Head.RedisCalls > r.Base.RedisCalls || r.Head.KeysWithoutTTL > r.Base.KeysWithoutTTL
}

// judge sets the outcome, which follows from the rows.
func (d *Document) judge() {
	d.Outcome = Same
	for i := range d.Rows {
		switch r := &d.Rows[i]; {
		case r.differs():
			d.Outcome = Different
			return
		case r.dearer():
			d.Outcome = Dearer
		}
	}
}

// Failed reports whether the change is one that was asked about to be refused.
func (d *Document) Failed() bool { return d.Outcome == Different || d.Outcome == Dearer && d.Work }
