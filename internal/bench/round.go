package bench

import (
	"context"
	"fmt"
	"slices"

	"ratelab/internal/load"
	"ratelab/internal/recording"
)

// round is everything, measured once.
type round struct {
	number  int
	opened  [][]*opened    // by scenario and candidate
	closed  [][]*saturated // by mix and candidate
	reasons []recording.Reason
	atFault *recording.Reason // the first for which the generator is to blame
}

// rounds measures every round, and keeps what those found that are finished.
func (r *run) rounds(ctx context.Context) error {
	for number := 1; number <= r.Rounds; number++ {
		found, err := r.round(ctx, number)
		if err != nil {
			return err
		}
		r.keep(found)
	}
	return nil
}

// round measures one round, and again where the generator was at fault and it may be.
func (r *run) round(ctx context.Context, number int) (*round, error) {
	for repeats := 0; ; repeats++ {
		found, err := r.once(ctx, number)
		if err != nil || found.atFault == nil || repeats == r.RepeatInvalid {
			return found, err
		}
		r.repeated++
		r.note(fmt.Sprintf("round %d was measured again: %s: %s", number, found.atFault.Where, found.atFault.Statement))
		r.progress.more(r.roundTime())
	}
}

// once measures one round: each scenario and each mix, with the candidates in the round's order.
func (r *run) once(ctx context.Context, number int) (*round, error) {
	found := &round{number: number}
	for _, p := range r.runs {
		if err := r.play(ctx, p, found); err != nil {
			return nil, err
		}
	}
	for _, mix := range recording.Mixes() {
		if err := r.mix(ctx, mix, found); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// play measures one scenario's traffic.
func (r *run) play(ctx context.Context, p *planned, into *round) error {
	all := make([]*opened, len(p.candidates))
	for position, i := range order(len(all), into.number) {
		c := p.candidates[i]
		where := fmt.Sprintf("%s %s round %d", p.scenario.Name, c.Label, into.number)
		r.progress.step(where, r.openTime(p))
		found, err := r.open(ctx, p, c, r.Connections, r.WarmUp)
		if err != nil {
			return err
		}
		found.position = position + 1
		all[i] = found
		into.blame(r, where, found.Reasons(), &found.account, found.Sent)
	}
	into.opened = append(into.opened, all)
	return nil
}

// mix measures one mix in a closed loop.
func (r *run) mix(ctx context.Context, mix string, into *round) error {
	all := make([]*saturated, len(r.plan.costs))
	for _, i := range order(len(all), into.number) {
		c := r.plan.costs[i]
		where := fmt.Sprintf("%s mix %s round %d", mix, c.Label, into.number)
		r.progress.step(where, r.closedTime())
		found, err := r.saturate(ctx, c, saturation{mix, r.Connections, r.WarmUp, r.Segment})
		if err != nil {
			return err
		}
		all[i] = found
		into.blame(r, where, found.Reasons(), &found.account, found.Sent)
	}
	into.closed = append(into.closed, all)
	return nil
}

// order is the order of n candidates in a round: each round begins at another, and goes the other way than the one
// before, so that none always follows the same.
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

// blame notes why a measurement of the round cannot be trusted.
func (d *round) blame(r *run, where string, reasons []load.Reason, a *account, sent int64) {
	before := len(d.reasons)
	r.blame(where, reasons, a, sent, &d.reasons)
	if d.atFault == nil && len(reasons) > 0 {
		d.atFault = &d.reasons[before]
	}
}

// blame adds to all why a measurement cannot be trusted.
func (s *session) blame(where string, reasons []load.Reason, a *account, sent int64, all *[]recording.Reason) {
	for _, reason := range reasons {
		*all = append(*all, recording.Reason{Code: reason.Code, Where: where, Statement: reason.Sentence})
	}
	if n := a.unexplained(sent); n != 0 {
		*all = append(*all, recording.Reason{Code: reasonCalls, Where: where, Statement: fmt.Sprintf(
			"the server executed %d calls of scripts and %d were sent: somebody else uses it, or calls were lost", sent+n, sent)})
	}
}

// reasonCalls is the code of what the server's own count contradicts.
const reasonCalls = "calls"
