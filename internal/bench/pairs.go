package bench

import (
	"context"
	"fmt"

	"ratelab/internal/candidate"
	"ratelab/internal/recording"
)

// count decides the scenarios on one side in virtual time, and counts what its calls take.
func (r *pairRun) count(ctx context.Context, i int) error {
	s, found := r.servers[i], make([][]exact, len(r.rows)) // by row and scenario
	for _, p := range r.runs[i] {
		r.progress.step(fmt.Sprintf("%s %s in virtual time", r.sides[i].name, p.scenario.Name), scenarioTime)
		all, err := s.decide(ctx, p)
		if err != nil {
			return err
		}
		for row := range all {
			found[row] = append(found[row], all[row])
		}
	}
	for row, c := range r.costs[i] {
		r.progress.step(fmt.Sprintf("%s %s bytes and allocations", r.sides[i].name, c.Label), takeTime)
		t, err := s.take(ctx, c)
		if err != nil {
			return err
		}
		into := recording.PairedSide{Identity: identity(c), Exact: exactRuns(r.runs[i], found[row]), Work: work(found[row]...)}
		t.record(&into.Work)
		if i == base {
			r.rows[row].Base = into
		} else {
			r.rows[row].Head = into
		}
	}
	return nil
}

func exactRuns(runs []*planned, found []exact) []recording.ExactRun {
	all := []recording.ExactRun{}
	for i, e := range found {
		all = append(all, recording.ExactRun{Scenario: runs[i].scenario.Name, ScenarioSHA256: runs[i].scenario.SHA256, Result: e.result})
	}
	return all
}

// batch measures so many pairs of a row. Those for which the generator was at fault are measured again, as long as
// there are repeats: one stall among a hundred measurements is not to spoil them all.
func (r *pairRun) batch(ctx context.Context, row int, prefix string, into *[]recording.Pair) error {
	for n := 1; n <= r.Pairs; {
		where := fmt.Sprintf("%s%s pair %d", prefix, r.rows[row].Name, n)
		r.progress.step(where, r.pairTime())
		pair, reasons, err := r.pair(ctx, row, n)
		if err != nil {
			return err
		}
		if len(reasons) > 0 && r.repeats > 0 {
			r.repeats--
			r.repeated++
			r.progress.more(r.pairTime())
			continue
		}
		for _, reason := range reasons {
			reason.Where = where + " " + reason.Where
			r.reasons = append(r.reasons, reason)
		}
		*into = append(*into, pair)
		n++
	}
	return nil
}

// pair measures the control and both sides once: base first in one pair, head first in the next.
func (r *pairRun) pair(ctx context.Context, row, n int) (recording.Pair, []recording.Reason, error) {
	pair := recording.Pair{HeadFirst: n%2 == 0}
	var reasons []recording.Reason
	sample := func(s *session, c *candidate.Candidate, where string, o saturation) (recording.Sample, error) {
		found, err := s.saturate(ctx, c, o)
		if err != nil {
			return recording.Sample{}, err
		}
		reasons = append(reasons, blame(where, found.Reasons(), &found.account, found.Sent)...)
		return found.sample(n), nil
	}
	o := saturation{r.Mix, r.Connections, r.WarmUp, r.Segment}
	short := o
	short.length /= 2
	for _, s := range r.sessions() {
		c, err := sample(s, r.control, control, short)
		if err != nil {
			return pair, nil, err
		}
		pair.Controls = append(pair.Controls, c)
	}
	into := [2]*recording.Sample{&pair.Base, &pair.Head}
	order := [2]int{base, head}
	if pair.HeadFirst {
		order = [2]int{head, base}
	}
	for _, i := range order {
		var err error
		if *into[i], err = sample(r.servers[i], r.costs[i][row], [2]string{"base", "head"}[i], o); err != nil {
			return pair, nil, err
		}
	}
	return pair, reasons, nil
}
