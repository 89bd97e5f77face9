package play

import (
	"context"

	"ratelab/internal/limit"
	"ratelab/internal/replay"
)

// Record is what virtual time decides of a part and of what comes before it.
type Record struct {
	part     *Part
	before   int // decisions before the stretch
	verdicts []limit.Verdict
	delays   []int64 // nil: nothing was delayed
}

// NewRecord is empty.
func NewRecord(p *Part) *Record { return &Record{part: p} }

// Observe is to see each batch once it is decided.
func (r *Record) Observe(requests []limit.Request, decisions []limit.Decision) error {
	for i, d := range decisions {
		if requests[i].AtUS < r.part.From.Microseconds() {
			r.before++
		}
		if d.DelayUS != 0 && r.delays == nil {
			r.delays = make([]int64, len(r.verdicts), cap(r.verdicts))
		}
		r.verdicts = append(r.verdicts, d.Verdict)
		if r.delays != nil {
			r.delays = append(r.delays, d.DelayUS)
		}
	}
	return nil
}

// Stretch are the verdicts on the stretch's requests.
func (r *Record) Stretch() []limit.Verdict { return r.verdicts[r.before:] }

// Then decides what comes before the stretch as recorded, and the stretch as it was played. What was not sent is
// unavailable.
func (r *Record) Then(played *Played) replay.Decider { return r.then(played.Answers) }

func (r *Record) then(answers []Answer) replay.Decider {
	return &then{record: r, before: r.before, answers: answers}
}

type then struct {
	record  *Record
	before  int // how many come before the stretch
	answers []Answer
	next    int
}

// Decide never fails.
func (t *then) Decide(_ context.Context, requests []limit.Request, decisions []limit.Decision) error {
	for i := range requests {
		decisions[i] = t.decision(t.before)
		t.next++
	}
	return nil
}

func (t *then) decision(before int) limit.Decision {
	if t.next < before {
		d := limit.Decision{Verdict: t.record.verdicts[t.next]}
		if t.record.delays != nil {
			d.DelayUS = t.record.delays[t.next]
		}
		return d
	}
	if a := t.answers[t.next-before]; a.Sent {
		return a.Decision
	}
	return limit.Decision{Verdict: limit.Unavailable, RetryAfterUS: limit.Never}
}
