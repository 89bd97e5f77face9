package bench

import (
	"context"
	"fmt"
	"slices"

	"ratelab/internal/load"
	"ratelab/internal/result"
)

// rounds measures every round of each scenario, and then those of the closed loop, and keeps those that are finished.
//
// Note: with all scenarios in each round a round began minutes after the one before. A machine that others use was
// another one by then: the same script took up to 1.5 times as long, though within a round nothing moved by a tenth of
// that.
func (r *measuring) rounds(ctx context.Context) error {
	for _, p := range r.runs {
		for number := 1; number <= r.Rounds; number++ {
			found, reasons, err := r.play(ctx, p, number)
			if err != nil {
				return err
			}
			for k, o := range found {
				p.rows[k].add(number, o)
			}
			r.reasons = append(r.reasons, reasons...)
			r.done++
		}
	}
	for number := 1; number <= r.Rounds; number++ {
		var mixes [][]*closedRound
		var reasons []result.Reason
		for _, mix := range result.Mixes() {
			found, why, err := r.mix(ctx, mix, number)
			if err != nil {
				return err
			}
			mixes, reasons = append(mixes, found), append(reasons, why...)
		}
		for m, found := range mixes {
			for k, s := range found {
				s.addTo(&r.costs[k].Mixes[m], number)
			}
		}
		r.reasons = append(r.reasons, reasons...)
		r.done++
	}
	return nil
}

// play measures one scenario's traffic once, of every limiter.
func (r *measuring) play(ctx context.Context, p *playPlan, round int) (all []*openRound, reasons []result.Reason,
	err error) {
	all = make([]*openRound, len(p.Limiters))
	for position, i := range order(len(all), round) {
		c := p.Limiters[i]
		where := fmt.Sprintf("%s %s round %d", p.Scenario.Name, c.Label, round)
		why, err := r.again(where, func() (reasons []result.Reason, err error) {
			all[i], err = r.open(ctx, p, c, r.Connections, r.WarmUp)
			if err != nil {
				return nil, err
			}
			all[i].position = position + 1
			if err = all[i].judge(ctx, p, p.rows[i].verdicts); err != nil {
				return nil, err
			}
			silent := r.silences(where, load.MostSilence)
			if len(silent) > 0 {
				all[i].Health.SilenceMaxUS = new(float64(*silent[0].LastedUS))
			}
			return append(r.blame(where, all[i].Reasons(), &all[i].account, all[i].Sent), silent...), nil
		})
		if err != nil {
			return nil, nil, err
		}
		reasons = append(reasons, why...)
	}
	return all, reasons, nil
}

// mix measures one mix in closed loops once.
func (r *measuring) mix(ctx context.Context, mix string, round int) (all []*closedRound, reasons []result.Reason,
	err error) {
	where := fmt.Sprintf("%s mix round %d", mix, round)
	reasons, err = r.again(where, func() (why []result.Reason, err error) {
		all, err = r.saturateAll(ctx, saturation{mix, r.Connections, r.WarmUp, r.Segment},
			order(len(r.plan.costs), round))
		if err != nil {
			return nil, err
		}
		for i, found := range all {
			why = append(why, r.blame(r.plan.costs[i].Label+" "+where, found.Reasons(), &found.account, found.Sent)...)
		}
		return append(why, r.silences(where, load.MostSilence)...), nil
	})
	return all, reasons, err
}

// order is the order of n limiters in a round: each round begins at another, and goes the other way than the one
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

// again measures once, and again where the figures cannot be trusted, as often as it may. The reasons are those of the
// last time.
//
// Note: measuring the whole round again would keep its measurements closer together, and cost a minute for a stall of
// a hundredth of a second.
func (r *measuring) again(where string, measure func() ([]result.Reason, error)) ([]result.Reason, error) {
	before := r.silences("before "+where, load.MostSilence)
	for repeats := 0; ; repeats++ {
		r.step(where)
		reasons, err := measure()
		if err != nil || len(reasons) == 0 || repeats == r.RepeatInvalid {
			return append(before, reasons...), err
		}
		r.repeated++
		r.blamed = append(r.blamed, reasons...)
	}
}

// blame is why a measurement cannot be trusted.
func (s *session) blame(where string, reasons []load.Reason, a *account, sent int64) []result.Reason {
	var all []result.Reason
	for _, r := range reasons {
		all = append(all, s.reason(where, r))
	}
	if n := a.unexplained(sent); n != 0 {
		all = append(all, result.Reason{Code: reasonCalls, Where: where, Statement: fmt.Sprintf(
			"the server executed %d calls of scripts and %d were sent: somebody else uses it, or calls "+
				"were lost", sent+n, sent)})
	}
	return all
}

// reasonCalls is the code of what the server's own count contradicts.
const reasonCalls = "calls"
