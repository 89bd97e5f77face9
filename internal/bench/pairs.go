package bench

import (
	"context"
	"fmt"
	"slices"
	"time"

	"ratelab/internal/benchresult"
	"ratelab/internal/compare"
	"ratelab/internal/lineup"
)

// count decides the scenarios on one side in virtual time, and counts what its calls take.
func (r *pairRun) count(ctx context.Context, i int) error {
	found, err := r.countSide(ctx, r.sides[i], r.servers[i], r.runs[i], r.costs[i])
	for row := range found {
		if i == base {
			r.rows[row].Base = found[row]
		} else {
			r.rows[row].Head = found[row]
		}
	}
	return err
}

// countSide does so on a server; it returns what each row came to.
func (r *pairRun) countSide(ctx context.Context, of *side, s *session, runs []*contest,
	costs []*lineup.Entry) ([]benchresult.PairedSide, error) {
	found := make([][]virtualResult, len(costs)) // by row and scenario
	for _, p := range runs {
		r.progress.step(fmt.Sprintf("%s %s in virtual time", of.name, p.Scenario.Name), scenarioTime)
		all, err := s.decide(ctx, p)
		if err != nil {
			return nil, err
		}
		for row := range all {
			found[row] = append(found[row], all[row])
		}
		r.reasons = append(r.reasons, s.silences(p.Scenario.Name+" in virtual time", mostInBatches)...)
	}
	var sides []benchresult.PairedSide
	for row, c := range costs {
		r.progress.step(fmt.Sprintf("%s %s bytes and allocations", of.name, c.Label), takeTime)
		t, err := s.countCall(ctx, c)
		if err != nil {
			return nil, err
		}
		into := benchresult.PairedSide{Identity: identity(c), Exact: exactRuns(runs, found[row]),
			Work: work(found[row]...)}
		t.record(&into.Work)
		sides = append(sides, into)
	}
	return sides, nil
}

func exactRuns(runs []*contest, found []virtualResult) []benchresult.ExactRun {
	all := []benchresult.ExactRun{}
	for i, e := range found {
		all = append(all, benchresult.ExactRun{Scenario: runs[i].Scenario.Name, ScenarioSHA256: runs[i].Scenario.SHA256,
			Result: e.result})
	}
	return all
}

// batch measures pairs of a row until it is decided, and r.Pairs at the most. It looks whether that is so after as many
// pairs as compare looks.
func (r *pairRun) batch(ctx context.Context, row int, prefix string, into *[]benchresult.Pair,
	decided func() bool) error {
	look := compare.NextLook(0)
	for len(*into) < r.Pairs && !r.void.hopeless() {
		where := fmt.Sprintf("%s%s pair %d", prefix, r.rows[row].Name, len(*into)+1)
		if err := r.next(ctx, row, where, into); err != nil {
			return err
		}
		if len(*into) < look {
			continue
		}
		if decided() {
			break
		}
		look = compare.NextLook(len(*into))
	}
	r.progress.more(-r.pairTime() * time.Duration(r.Pairs-len(*into)))
	return nil
}

// next measures a row's next pair on new servers. It is void if the generator was at fault, or a server stood still:
// then it is left out, and that it is the next one remains.
func (r *pairRun) next(ctx context.Context, row int, where string, into *[]benchresult.Pair) error {
	if err := r.restart(ctx); err != nil {
		return err
	}
	r.progress.step(where, r.pairTime())
	pair, reasons, err := r.pair(ctx, row, len(*into)+1)
	switch {
	case err != nil:
		return err
	case len(reasons) > 0:
		r.void.add(where, reasons)
		r.progress.more(r.pairTime())
	default:
		*into = append(*into, pair)
	}
	return nil
}

// measuredPair is one pair under way: the loops of the controls and of both sides, warm at the same time.
type measuredPair struct {
	controls []*closedLoop
	sides    [2]*closedLoop
}

// pair measures the control and both sides once. They take turns in short stretches, ABBA, so that a machine that is
// slower for a second is slower for both: base has the first in one pair, head in the next.
//
// Note: each side in one piece, as long as all its stretches, left pairs in which the machine changed in between:
// where that was busy for a second now and then, the same script measured against itself gave 0.6 to 1.5.
func (r *pairRun) pair(ctx context.Context, row, n int) (benchresult.Pair, []benchresult.Reason, error) {
	defer r.servers[base].places.apart()()
	pair := benchresult.Pair{HeadFirst: n%2 == 0}
	c, err := r.contest(ctx, row)
	if err == nil {
		err = r.contend(ctx, c, pair.HeadFirst)
	}
	if err = c.end(ctx, err); err != nil {
		return pair, nil, err
	}
	var reasons []benchresult.Reason
	sample := func(where string, l *closedLoop) benchresult.Sample {
		reasons = append(reasons, l.blame(where, l.found.Reasons(), &l.found.account, l.found.Sent)...)
		return l.sample(n)
	}
	for _, l := range c.controls {
		pair.Controls = append(pair.Controls, sample(control, l))
	}
	pair.Base, pair.Head = sample("base", c.sides[base]), sample("head", c.sides[head])
	for _, s := range r.sessions() {
		reasons = s.heard("on "+s.server.String(), reasons)
	}
	return pair, reasons, nil
}

// contest prepares a pair. It returns what there is also with an error.
func (r *pairRun) contest(ctx context.Context, row int) (*measuredPair, error) {
	c, o := &measuredPair{}, saturation{r.Mix, r.Connections, r.WarmUp, r.Segment}
	for _, s := range r.sessions() {
		l, err := s.closedLoop(ctx, r.control, o)
		if err != nil {
			return c, err
		}
		c.controls = append(c.controls, l)
	}
	for i := range c.sides {
		var err error
		if c.sides[i], err = r.servers[i].closedLoop(ctx, r.costs[i][row], o); err != nil {
			return c, err
		}
	}
	return c, nil
}

// contend measures everybody in turn, the control for half as long.
func (r *pairRun) contend(ctx context.Context, c *measuredPair, headFirst bool) error {
	turns, length := stretches(r.Segment)
	for turn := range turns {
		for _, l := range c.controls {
			if err := l.stretch(ctx, length/2); err != nil {
				return l.explain(err)
			}
		}
		order := []*closedLoop{c.sides[base], c.sides[head]}
		if headFirst != (turn%2 == 1) {
			slices.Reverse(order)
		}
		for _, l := range order {
			if err := l.stretch(ctx, length); err != nil {
				return l.explain(err)
			}
		}
	}
	return nil
}

// end ends the loops. It returns failed, or else its own error.
func (c *measuredPair) end(ctx context.Context, failed error) error {
	return endAll(ctx, append(c.controls, c.sides[base], c.sides[head]), failed)
}
