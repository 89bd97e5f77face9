package bench

import (
	"context"
	"fmt"
	"slices"
	"time"

	"ratelab/internal/benchresult"
	"ratelab/internal/load"
)

// round is one scenario, or every mix, measured once.
type round struct {
	number  int
	open    []*openRound     // of the scenario, by entry
	closed  [][]*closedRound // by mix and entry
	reasons []benchresult.Reason
}

// rounds measures every round of each scenario, and then those of the closed loop, and keeps those that are finished.
//
// Note: with all scenarios in each round a round began minutes after the one before. A machine that others use was
// another one by then: the same script took up to 1.5 times as long, though within a round nothing moved by a tenth of
// that.
func (r *run) rounds(ctx context.Context) error {
	for i := range r.runs {
		for number := 1; number <= r.Rounds; number++ {
			found := &round{number: number}
			if err := r.play(ctx, i, found); err != nil {
				return err
			}
			r.keepOpen(i, found)
		}
	}
	for number := 1; number <= r.Rounds; number++ {
		found := &round{number: number}
		for _, mix := range benchresult.Mixes() {
			if err := r.mix(ctx, mix, found); err != nil {
				return err
			}
		}
		r.keepClosed(found)
	}
	return nil
}

// play measures one scenario's traffic.
func (r *run) play(ctx context.Context, n int, into *round) error {
	p := r.runs[n]
	all := make([]*openRound, len(p.Entries))
	for position, i := range order(len(all), into.number) {
		c := p.Entries[i]
		where := fmt.Sprintf("%s %s round %d", p.Scenario.Name, c.Label, into.number)
		err := r.again(where, r.openTime(p), func() (reasons []benchresult.Reason, err error) {
			all[i], err = r.open(ctx, p, c, r.Connections, r.WarmUp)
			if err != nil {
				return nil, err
			}
			all[i].position = position + 1
			if err = r.judge(ctx, p, c, &r.virtual[n][i], all[i]); err != nil {
				return nil, err
			}
			return r.heard(where, r.blame(where, all[i].Reasons(), &all[i].account, all[i].Sent)), nil
		}, &into.reasons)
		if err != nil {
			return err
		}
	}
	into.open = all
	return nil
}

// mix measures one mix in closed loops.
func (r *run) mix(ctx context.Context, mix string, into *round) error {
	where := fmt.Sprintf("%s mix round %d", mix, into.number)
	var all []*closedRound
	err := r.again(where, r.mixTime(), func() (reasons []benchresult.Reason, err error) {
		all, err = r.saturateAll(ctx, saturation{mix, r.Connections, r.WarmUp, r.Segment}, into.number)
		for i, found := range all {
			reasons = append(reasons, r.blame(r.plan.costs[i].Label+" "+where, found.Reasons(), &found.account,
				found.Sent)...)
		}
		return r.heard(where, reasons), err
	}, &into.reasons)
	into.closed = append(into.closed, all)
	return err
}

// saturateAll measures every entry in a closed loop, all in turns, so that their ratios do not depend on when the
// machine was slow.
func (r *run) saturateAll(ctx context.Context, o saturation, number int) ([]*closedRound, error) {
	defer r.places.apart()()
	loops := make([]*closedLoop, len(r.plan.costs))
	var err error
	for i := 0; i < len(loops) && err == nil; i++ {
		loops[i], err = r.closedLoop(ctx, r.plan.costs[i], o)
	}
	if err == nil {
		err = inTurns(ctx, loops, order(len(loops), number), o.length)
	}
	if err = endAll(ctx, loops, err); err != nil {
		return nil, err
	}
	all := make([]*closedRound, len(loops))
	for i, l := range loops {
		all[i] = &l.found
	}
	return all, nil
}

// order is the order of n entries in a round: each round begins at another, and goes the other way than the one
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

// again measures once, and again where the figures cannot be trusted, as often as it may. Reasons of the last time go
// to into.
//
// Note: measuring the whole round again would keep its measurements closer together, and cost a minute for a stall of
// a hundredth of a second.
func (r *run) again(where string, takes time.Duration, measure func() ([]benchresult.Reason, error),
	into *[]benchresult.Reason) error {
	*into = append(*into, r.silences("before "+where, load.MostSilence)...)
	for repeats := 0; ; repeats++ {
		r.progress.step(where, takes)
		reasons, err := measure()
		if err != nil {
			return err
		}
		if len(reasons) == 0 || repeats == r.RepeatInvalid {
			*into = append(*into, reasons...)
			return nil
		}
		r.repeated++
		r.blamed = append(r.blamed, reasons...)
		r.progress.more(takes)
	}
}

// blame is why a measurement cannot be trusted.
func (s *session) blame(where string, reasons []load.Reason, a *account, sent int64) []benchresult.Reason {
	var all []benchresult.Reason
	for _, r := range reasons {
		all = append(all, s.reason(where, r))
	}
	if n := a.unexplained(sent); n != 0 {
		all = append(all, benchresult.Reason{Code: reasonCalls, Where: where, Statement: fmt.Sprintf(
			"the server executed %d calls of scripts and %d were sent: somebody else uses it, or calls "+
				"were lost", sent+n, sent)})
	}
	return all
}

// reasonCalls is the code of what the server's own count contradicts.
const reasonCalls = "calls"
