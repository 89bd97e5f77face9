package play

import (
	"context"
	"iter"
	"slices"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/measure"
	"ratelab/internal/replay"
)

// Course is how a play went over the stretch's time, in buckets of equal width from its beginning.
type Course struct {
	BucketUS int64
	Offered  []int64 // cost of the requests that were due in the bucket
	Admitted []int64 // of these, the cost that was admitted; of a shaper what it lets go in the bucket
	// the most that was let through for one key in a window that ends in the bucket, at least: the server's instants
	// are known to within the lag band, and what may lie outside the window is not counted
	Rolling []int64
}

// Course is that of the play, after what was recorded before it.
func (p *Played) Course(ctx context.Context, c *lineup.Contest, part *Part, r *Record) (Course, error) {
	asDue, err := p.again(ctx, c.Policy, part, r.Then(p), part.UpToHere())
	if err != nil {
		return Course{}, err
	}
	asTaken, err := p.asTaken(ctx, c, r, p.taken(part).inTime())
	if err != nil {
		return Course{}, err
	}
	series := asDue.Lanes[0].Series
	return Course{series.BucketUS, asDue.Traffic.Offered, series.Admitted, asTaken.Lanes[0].Series.Rolling}, nil
}

// Least is what the play let through for certain, with what was recorded before it: peak, excess and what follows from
// them hold at least. Its other figures are those of another limit.
func (p *Played) Least(ctx context.Context, c *lineup.Contest, part *Part, r *Record) (measure.Result, error) {
	o, err := p.asTaken(ctx, c, r, p.taken(part))
	if err != nil {
		return measure.Result{}, err
	}
	return o.Lanes[0].Result, nil
}

// asTaken measures the play with each request in the middle of its band, in a window that is shorter by the longest
// band: what is in it then was in the window.
func (p *Played) asTaken(ctx context.Context, c *lineup.Contest, r *Record, t *taken) (*replay.Outcome, error) {
	narrow := c.Policy
	narrow.Window = max(narrow.Window-p.band(), time.Microsecond)
	return p.again(ctx, narrow, t.part, r.then(t.answers), t)
}

// again measures decisions that are known.
func (p *Played) again(ctx context.Context, policy limit.Policy, part *Part, known replay.Decider,
	t replay.Traffic) (*replay.Outcome, error) {
	return replay.Run(ctx, t, policy, []replay.Lane{{Decider: known}}, replay.Options{From: part.From.Microseconds()})
}

// band is the longest that the server had for a decision.
func (p *Played) band() time.Duration {
	var most int64
	for _, a := range p.Answers {
		most = max(most, a.RepliedUS-a.WrittenUS)
	}
	return time.Duration(most) * time.Microsecond
}

// middleUS is the middle of the band.
func (a *Answer) middleUS() int64 { return (a.WrittenUS + a.RepliedUS) / 2 }

// taken is the traffic as the server took it: what comes before the stretch, and what was sent of it, each in the
// middle of its band.
type taken struct {
	part     *Part
	requests []limit.Request
	answers  []Answer
}

func (p *Played) taken(part *Part) *taken {
	t := &taken{part: part}
	var order []int
	for i, a := range p.Answers {
		if a.Sent {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(p.Answers[a].middleUS() - p.Answers[b].middleUS()) })
	for _, i := range order {
		q := part.Requests[i]
		q.AtUS = max(p.Answers[i].middleUS(), part.From.Microseconds())
		t.requests, t.answers = append(t.requests, q), append(t.answers, p.Answers[i])
	}
	return t
}

// inTime leaves out what was taken after the stretch's end, so that the rest has the buckets of what was due.
func (t *taken) inTime() *taken {
	late := func(q limit.Request) bool { return q.AtUS >= t.part.Until.Microseconds() }
	if i := slices.IndexFunc(t.requests, late); i >= 0 {
		return &taken{t.part, t.requests[:i], t.answers[:i]}
	}
	return t
}

// Requests are in the order in which they were taken.
func (t *taken) Requests() iter.Seq2[limit.Request, error] {
	return func(yield func(limit.Request, error) bool) {
		for q, err := range t.part.Before() {
			if !yield(q, err) {
				return
			}
		}
		for _, q := range t.requests {
			if !yield(q, nil) {
				return
			}
		}
	}
}

// Duration is that of the stretch's traffic.
func (t *taken) Duration() (time.Duration, bool) { return t.part.Until, true }
