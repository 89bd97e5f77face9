package load

import (
	"cmp"
	"context"
	"slices"
	"time"

	"ratelab/internal/clients"
	"ratelab/internal/limit"
	"ratelab/internal/replay"
	"ratelab/internal/result"
	"ratelab/internal/traffic"
)

// Differing returns the number of decisions that differ from those of virtual time on the same requests. Requests that
// were not sent are not counted.
func (p *Played) Differing(virtual []limit.Verdict) int64 {
	var count int64
	n := 0
	for c := range p.counted() {
		if c.fate == answered && c.Decision.Allowed() != (virtual[n] == limit.Allowed) {
			count++
		}
		n++
	}
	return count
}

// Course measures the play over the time of the part, under the given limit.
func (p *Played) Course(ctx context.Context, policy limit.Policy) (*result.Course, error) {
	var due clients.Journal
	for c := range p.counted() {
		d := c.Decision
		if c.fate != answered {
			d = limit.Decision{Verdict: limit.Unavailable, RetryAfterUS: limit.Never}
		}
		due.Decisions = append(due.Decisions, d)
		due.Requests = append(due.Requests, p.at(c, c.due))
	}
	asDue, err := p.measured(ctx, policy, due)
	if err != nil {
		return nil, err
	}
	taken, most := p.taken()
	policy.Window = max(policy.Window-most, time.Microsecond)
	asTaken, err := p.measured(ctx, policy, taken)
	if err != nil {
		return nil, err
	}
	series := asDue.Rows[0].Series
	return &result.Course{BucketUS: series.BucketUS, Offered: asDue.Traffic.Offered, Admitted: series.Admitted,
		Rolling: asTaken.Rows[0].Series.Rolling}, nil
}

// at returns the request of a call with the time at, counted from the beginning of the part.
func (p *Played) at(c *call, at time.Duration) limit.Request {
	q := c.req
	q.AtUS = max(at-p.origin-p.part.From, 0).Microseconds()
	return q
}

// measured measures decisions that are already known.
func (p *Played) measured(ctx context.Context, policy limit.Policy, known clients.Journal) (*replay.Outcome, error) {
	lane := replay.Row{Decider: &replay.Recorded{Decisions: known.Decisions}}
	requests := traffic.List(known.Requests, p.part.Length(), true)
	return replay.Run(ctx, requests, policy, []replay.Row{lane}, replay.Options{})
}

// taken returns the requests that were sent and answered before the end of the part, in the order in which the server
// received them, as far as that is known: each request counts at the midpoint of its write and its reply. most is the
// longest time between a write and its reply. A window that is shorter by most contains only requests that were
// certainly in the full window, so that the peak is a lower bound.
func (p *Played) taken() (taken clients.Journal, most time.Duration) {
	var order []*call
	middle := func(c *call) time.Duration { return (c.Written + c.Replied) / 2 }
	for c := range p.counted() {
		most = max(most, c.Replied-c.Written)
		if c.fate == answered && middle(c) < p.origin+p.part.Until {
			order = append(order, c)
		}
	}
	slices.SortStableFunc(order, func(a, b *call) int { return cmp.Compare(middle(a), middle(b)) })
	for _, c := range order {
		taken.Requests = append(taken.Requests, p.at(c, middle(c)))
		taken.Decisions = append(taken.Decisions, c.Decision)
	}
	return taken, most.Round(time.Microsecond)
}
