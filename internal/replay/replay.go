// Package replay lets any number of limiters decide one stream of requests in virtual time, and measures each. The
// stream is read once, in batches that all rows share. The memory depends on the number of keys in use, not on the
// number of requests.
package replay

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/measure"
)

// Clock is a wall clock. When the context ends, Sleep returns its error at once.
type Clock struct {
	Now   func() time.Time
	Sleep func(context.Context, time.Duration) error
}

// Traffic is the source of requests.
type Traffic interface {
	Requests() iter.Seq2[limit.Request, error]
	// Duration may be unknown until Requests has ended.
	Duration() (d time.Duration, known bool)
}

// Row is one limiter in a replay.
type Row struct {
	Label   string
	Decider Decider
	// Observe receives each decided batch, in order, from one goroutine. It may be nil. If it is set, processors do not
	// share the keys.
	Observe func([]limit.Request, []limit.Decision) error
	// Another returns a new Decider for other keys. It is nil if keys depend on each other, or if there can be only one
	// Decider.
	Another func() Decider
}

// Options of a replay. The zero value is valid.
type Options struct {
	Progress func(requests int64)
	Batch    int // the number of requests per batch; 0: defaultBatch
	// Reach is the least length of all series, in µs. With the same Reach, several replays have series of the same
	// length. If it is 0, the series end when the last request that a shaper delays has left.
	Reach int64
	// Scales has the lengths of intervals for MostAdmitted, in µs, ascending. If it is nil, neither MostAdmitted nor
	// fairness is measured.
	Scales []int64
	// Limits are several limits on each request, which replace the policy. If it is nil, the policy is the limit. If a
	// limit applies to a part of the key, Another must be nil in all rows.
	Limits []limit.Limit
	// LimitScales: for each of the Limits, the rows measure the most admitted in intervals of several lengths.
	LimitScales bool
	// Sources is the most goroutines that share the keys; 0 means 1. They share the keys only if all rows have Another.
	// The figures do not depend on Sources.
	Sources   int
	ShareFrom int // the number of requests from which keys are shared; 0: sharesFrom
}

// Outcome has the results of a replay.
type Outcome struct {
	Duration        time.Duration
	Keys            int64
	LastUS          int64 // the time of the last request
	LargestCost     int64 // of any request
	Partial         bool
	Traffic         measure.Traffic
	Reference       measure.Result
	ReferenceSeries measure.Series
	ReferenceLimits *measure.Several // nil: there is one limit
	// ReferenceLimitSeries has the reference's series for each of several limits.
	ReferenceLimitSeries []measure.Series
	Rows                 []RowOutcome // in the order of the rows
}

// RowOutcome has one row's measurements. It has only figures that can be computed from requests and decisions.
type RowOutcome struct {
	measure.Figures
	Series measure.Series
	Limits []measure.Series // for each of several limits
	Most   [][]int64        // for each of several limits: the most admitted in any interval of each length
}

// InputError reports invalid input: a log that cannot be read to its end, or a script that does not compile, that
// virtual time cannot run, or that failed on the limited server.
type InputError struct{ Err error }

func (e *InputError) Error() string { return e.Err.Error() }

func (e *InputError) Unwrap() error { return e.Err }

// Invalid returns an *InputError.
func Invalid(format string, args ...any) error { return &InputError{fmt.Errorf(format, args...)} }

// Named adds a row's label to an error, unless the error already names a file: an *InputError, or an error with a
// method NamesFile.
func Named(label string, err error) error {
	var input *InputError
	var named interface{ NamesFile() }
	if errors.As(err, &input) || errors.As(err, &named) {
		return err
	}
	return fmt.Errorf("%s: %w", label, err)
}

// Run lets the rows decide the traffic, and measures them against p. When ctx ends, Run stops reading, decides what has
// been read, and marks the outcome partial. Deciders get a context that does not end with ctx. It returns an
// *InputError about the traffic, or an error that names a row.
func Run(ctx context.Context, traffic Traffic, p limit.Policy, rows []Row, o Options) (*Outcome, error) {
	part, err := RunPart(ctx, traffic, p, rows, o)
	if err != nil {
		return nil, err
	}
	labels := make([]string, len(rows))
	for i, row := range rows {
		labels[i] = row.Label
	}
	return part.Outcome(p, labels)
}

// Part is a replay's result for some of the keys. The sum of the Parts of disjoint keys is the Part of all keys, in any
// order, if they have the same traffic and rows.
type Part struct {
	All       Whole            `json:"all"`
	Keys      int64            `json:"keys"` // distinct, of this part
	Traffic   measure.Traffic  `json:"traffic"`
	Reference *measure.Tally   `json:"reference"`
	Rows      []*measure.Tally `json:"lanes"` // in order

	partial bool
}

// Whole describes the requests of all keys. It is the same in every Part.
type Whole struct {
	DurationUS  int64 `json:"duration_us"`
	LastUS      int64 `json:"last_us"`      // the time of the last request
	LargestCost int64 `json:"largest_cost"` // of any request
}

// Plus adds two Parts.
func (p *Part) Plus(o *Part) *Part {
	sum := &Part{All: p.All, Keys: p.Keys + o.Keys, Traffic: p.Traffic.Plus(o.Traffic),
		Reference: p.Reference.Plus(o.Reference), partial: p.partial || o.partial}
	for i := range p.Rows {
		sum.Rows = append(sum.Rows, p.Rows[i].Plus(o.Rows[i]))
	}
	return sum
}

// Outcome computes the figures from the Part of all keys. labels are the rows' labels. It returns an error that names a
// row, or an error if the reference is wrong.
func (p *Part) Outcome(policy limit.Policy, labels []string) (*Outcome, error) {
	out := &Outcome{Duration: time.Duration(p.All.DurationUS) * time.Microsecond, Keys: p.Keys, LastUS: p.All.LastUS,
		LargestCost: p.All.LargestCost, Partial: p.partial, Traffic: p.Traffic, ReferenceSeries: p.Reference.Series}
	var err error
	if out.Reference, err = p.Reference.Result(policy); err != nil {
		return nil, fmt.Errorf("exact reference: %w", err)
	}
	out.Reference.ExactCost, out.ReferenceLimits = out.Reference.AdmittedCost, p.Reference.Several()
	out.ReferenceLimitSeries = p.Reference.LimitSeries()
	if excess := p.Reference.Excess(out.Reference); excess > 0 {
		return nil, fmt.Errorf("exact reference: %d of its own admitted cost break the limit", excess)
	}
	for i, t := range p.Rows {
		result, err := t.Result(policy)
		if err == nil && result.Offered != out.Reference.Offered && !p.partial {
			err = fmt.Errorf("saw %d requests, the reference %d", result.Offered, out.Reference.Offered)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", labels[i], err)
		}
		figures := measure.Figures{Result: result, Slots: t.Slots, Several: t.Several(), MostAdmitted: t.MostAdmitted,
			Shaping: t.Delays.Shaping(), Fairness: t.Served.Fairness(p.Keys)}
		out.Rows = append(out.Rows, RowOutcome{Figures: figures, Series: t.Series, Limits: t.LimitSeries(),
			Most: t.LimitMost()})
	}
	return out, nil
}
