package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ratelab/internal/candidate"
	"ratelab/internal/recording"
	"ratelab/internal/regress"
)

// pairRun is a comparison under way.
type pairRun struct {
	*pairPlan
	servers  [2]*session // of the sides; the same one where both are scripts
	progress *progress

	rows     []recording.PairedRow
	reasons  []recording.Reason
	repeats  int // how many more pairs may be measured again
	repeated int
	partial  bool
}

// run does the comparison.
func (p *pairPlan) run(ctx context.Context) (*recording.Paired, error) {
	if err := p.try(ctx); err != nil {
		return nil, err
	}
	r := &pairRun{pairPlan: p, progress: newProgress(p.Progress, p.estimate()), repeats: max(p.RepeatInvalid, 0)}
	if err := r.start(ctx); err != nil {
		return nil, err
	}
	back := quietly()
	err := r.measure(ctx)
	back()
	var document *recording.Paired
	if err == nil {
		document = r.document(ctx)
	}
	if err = r.close(ctx, err); err != nil {
		return nil, err
	}
	return document, nil
}

// try lets the users' scripts decide the first requests on a private server.
func (p *pairPlan) try(ctx context.Context) error {
	for i := range p.sides {
		first := p.runs[i][0]
		if first.candidates[0].File == "" {
			continue
		}
		requests, err := first.traffic.first(candidate.TrialRequests)
		if err != nil {
			return &InputError{Err: err}
		}
		clock := candidate.Clock{Now: p.Now, Sleep: p.Sleep}
		if err := candidate.Try(ctx, first.candidates, p.Server, first.scenario.Start, requests, clock); err != nil {
			return err
		}
	}
	return nil
}

// start gets the servers.
func (r *pairRun) start(ctx context.Context) error {
	specs := []string{r.sides[base].server, r.sides[head].server}
	if r.controls() == 1 {
		specs = []string{r.Server}
	}
	began := r.Now()
	for i, spec := range specs {
		server, note, err := startServer(ctx, spec, max(r.Connections, len(r.costs[base])+1))
		if err != nil {
			return r.close(ctx, err)
		}
		r.servers[i] = newSession(server, spec, note, &session{now: r.Now, sleep: r.Sleep, stop: r.Stop, began: began})
	}
	if len(specs) == 1 {
		r.servers[head] = r.servers[base]
	}
	return nil
}

// sessions are the servers, each once.
func (r *pairRun) sessions() []*session { return r.servers[:r.controls()] }

// close ends the servers; it returns failed, or else its own error.
func (r *pairRun) close(ctx context.Context, failed error) error {
	for _, s := range r.sessions() {
		if s != nil {
			failed = s.close(ctx, failed)
		}
	}
	return failed
}

// measure does everything, or as much as there is time for until it is told to stop.
func (r *pairRun) measure(ctx context.Context) error {
	for row := range r.costs[base] {
		r.rows = append(r.rows, recording.PairedRow{Name: r.name(row), Pairs: []recording.Pair{}, Confirm: []recording.Pair{}})
	}
	err := r.everything(ctx)
	if errors.Is(err, errStopped) {
		r.partial = true
		r.servers[base].note("interrupted: what was under way is left out")
		return nil
	}
	return err
}

func (r *pairRun) everything(ctx context.Context) error {
	for i := range r.sides {
		if err := r.count(ctx, i); err != nil {
			return err
		}
	}
	for row := range r.rows {
		if err := r.batch(ctx, row, "", &r.rows[row].Pairs); err != nil {
			return err
		}
	}
	for row := range r.rows {
		if !regress.NeedsConfirmation(&r.rows[row]) {
			continue
		}
		r.progress.more(r.pairTime() * time.Duration(r.Pairs))
		if err := r.batch(ctx, row, "again ", &r.rows[row].Confirm); err != nil {
			return err
		}
	}
	return nil
}

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

// document writes everything down.
func (r *pairRun) document(ctx context.Context) *recording.Paired {
	s := r.servers[base]
	for _, note := range r.servers[head].notes {
		s.note(note)
	}
	d := &recording.Paired{Header: s.header(recording.KindPaired, r.Version), Rows: r.rows}
	d.Partial = r.partial
	d.Validity = validity(r.reasons)
	d.Settings = recording.Settings{
		Rounds: r.Pairs, WarmUpUS: max(r.WarmUp, 0).Microseconds(), SegmentUS: r.Segment.Microseconds(), Connections: r.Connections,
		Sweep: []int{}, CostLimit: spelled(costLimit), FillLimit: spelled(fillLimit), RepeatedRound: r.repeated,
	}
	d.Notes = append(d.Notes, fmt.Sprintf("closed loop of the mix %s", r.Mix))
	if r.repeated > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("%d pairs were measured again: the generator was at fault", r.repeated))
	}
	for i, into := range []*recording.Side{&d.Base, &d.Head} {
		*into = recording.Side{Name: r.sides[i].name, Server: describe(ctx, r.servers[i].server, r.servers[i].spec)}
	}
	d.NoiseFloor = recording.NoiseFloorOf(neighbours(r.rows)...)
	return d
}

// neighbours are the measurements of the same code that follow each other: the last of a pair and the first of the
// next one.
func neighbours(rows []recording.PairedRow) [][]recording.Sample {
	var all [][]recording.Sample
	for _, row := range rows {
		for _, pairs := range [][]recording.Pair{row.Pairs, row.Confirm} {
			for i := 1; i < len(pairs); i++ {
				if pairs[i].HeadFirst {
					all = append(all, []recording.Sample{pairs[i-1].Head, pairs[i].Head})
				} else {
					all = append(all, []recording.Sample{pairs[i-1].Base, pairs[i].Base})
				}
			}
		}
	}
	return all
}
