package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"ratelab/internal/load"
	"ratelab/internal/message"
	"ratelab/internal/result"
)

// measuring is a job in progress.
type measuring struct {
	*plan
	*session
	vigil    *load.Vigil
	done     int // finished rounds
	reasons  []result.Reason
	repeated int
	partial  bool
}

// on does the job on a server. It stops the server if it is our own.
func (p *plan) on(ctx context.Context, s *session) (document *result.Document, err error) {
	r := &measuring{plan: p, session: s}
	before := debug.SetGCPercent(gcPercent)
	r.vigil, err = load.KeepVigil(ctx, s.server.Open, load.NewClock(s.wall.Now()))
	if err == nil {
		err = r.measure(ctx)
		r.vigil.Close()
	}
	debug.SetGCPercent(before)
	if errors.Is(err, message.ErrInterrupted) {
		err = context.Cause(s.ctx) // the caller may have cancelled without a cause
	}
	if errors.Is(err, message.ErrInterrupted) {
		r.partial, err = true, nil
		r.notes = append(r.notes, "interrupted: what was under way is left out")
	}
	if err == nil {
		document = r.document(ctx)
	}
	if err = s.close(ctx, err); err != nil {
		return nil, err
	}
	p.Kept = s.kept
	return document, nil
}

// measure decides all scenarios in virtual time. Then it plays all rounds of each scenario.
//
// Note: when each round contained all scenarios, a round began minutes after the previous one. A shared machine had
// changed by then: the same script took up to 1.5 times as long, although within a round the times varied by less than
// a tenth of that.
func (r *measuring) measure(ctx context.Context) error {
	for _, p := range r.plays {
		where := p.Scenario.Name + " in virtual time"
		r.step(where)
		if err := r.decidePlay(p); err != nil {
			return err
		}
		r.vigil.Silence() // ignored: batches keep the server busy, and nothing is measured yet
	}
	for _, p := range r.plays {
		for number := 1; number <= r.Rounds; number++ {
			if err := r.round(ctx, p, number); err != nil {
				return err
			}
			r.done++
		}
		if r.Saturate {
			if err := r.saturate(ctx, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// step reports what begins.
func (r *measuring) step(where string) {
	if r.Progress != nil {
		r.Progress(where, r.done, r.Rounds*len(r.plays))
	}
}

// round measures one scenario's traffic once for each limiter. The figures count only after all limiters have been
// measured.
func (r *measuring) round(ctx context.Context, p *play, number int) error {
	all := make([]*played, len(p.Limiters))
	var reasons []result.Reason
	for position, i := range order(len(all), number) {
		where := fmt.Sprintf("%s, round %d", p.Limiters[i].Label, number)
		if len(r.plays) > 1 {
			where += " of " + p.Scenario.Name
		}
		for repeats := 0; ; repeats++ {
			r.step(where)
			var err error
			if all[i], err = r.measureOne(ctx, p, i); err != nil {
				return err
			}
			all[i].position = position + 1
			why := r.faults(where, all[i])
			if len(why) == 0 || repeats == r.RepeatInvalid {
				reasons = append(reasons, why...)
				break
			}
			r.repeated++
		}
	}
	for i, o := range all {
		p.rows[i].add(number, o)
	}
	r.reasons = append(r.reasons, reasons...)
	return nil
}

// faults returns the reasons why a measurement is invalid.
func (r *measuring) faults(where string, o *played) []result.Reason {
	all := append(o.Reasons(), r.silence(where)...)
	if n := o.unexplained(); n != 0 {
		all = append(all, result.Reason{Code: "calls", Statement: fmt.Sprintf("the server executed %d script "+
			"calls, but %d were sent: other clients use it, or calls were lost", o.Sent+n, o.Sent)})
	}
	for i := range all {
		all[i].Where = where
	}
	return all
}

// silence returns a reason if the server was silent since the last call.
func (r *measuring) silence(where string) (all []result.Reason) {
	if d := r.vigil.Silence(); d > 0 {
		all = append(all, result.Reason{Code: "silence", Where: where, LastedUS: d.Microseconds(),
			Statement: fmt.Sprintf("the server was silent for %v", d.Round(time.Millisecond))})
	}
	return all
}

// order returns the order of n limiters in a round. Each round begins with another limiter, and reverses the direction,
// so that no limiter always follows the same one.
func order(n, round int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = (i + round - 1) % n
	}
	if round%2 == 0 {
		slices.Reverse(all)
	}
	return all
}
