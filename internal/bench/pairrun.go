package bench

import (
	"context"
	"errors"
	"strings"
	"time"

	"ratelab/internal/benchresult"
	"ratelab/internal/compare"
	"ratelab/internal/lineup"
	"ratelab/internal/redisserver"
	"ratelab/internal/replay"
)

// pairRun is a comparison under way.
type pairRun struct {
	*pairPlan
	servers  [2]*session // of the sides; the same one where both are scripts
	progress *progress

	rows     []benchresult.PairedRow
	reasons  []benchresult.Reason
	repeats  int // how many more pairs may be measured again
	repeated int
	blamed   []benchresult.Reason // for what was measured again
	partial  bool
}

// run does the comparison.
func (p *pairPlan) run(ctx context.Context) (*benchresult.Paired, error) {
	if err := p.try(ctx); err != nil {
		return nil, err
	}
	r := newPairRun(p)
	if err := r.start(ctx); err != nil {
		return nil, err
	}
	return r.played(ctx)
}

// newPairRun is a comparison that has no servers yet.
func newPairRun(p *pairPlan) *pairRun {
	r := &pairRun{pairPlan: p, progress: newProgress(p.Progress, p.estimate()), repeats: max(p.RepeatInvalid, 0)}
	if p.RepeatInvalid == 0 {
		r.repeats = p.mostVoid()
	}
	return r
}

// mostVoid is a quarter of all pairs.
func (p *pairPlan) mostVoid() int { return (len(p.costs[base])*p.Pairs + 3) / 4 }

// played measures on the servers that there are, and ends them.
func (r *pairRun) played(ctx context.Context) (*benchresult.Paired, error) {
	back := quietly()
	err := r.measure(ctx)
	back()
	var document *benchresult.Paired
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
		if first.Entries[0].File == "" {
			continue
		}
		requests, err := lineup.FirstRequests(first.stream)
		if err != nil {
			return err
		}
		clock := replay.Clock{Now: p.Now, Sleep: p.Sleep}
		if err := lineup.Try(ctx, first.Entries, p.Server, first.Scenario.Start, requests, clock); err != nil {
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
		server, note, err := startServer(ctx, spec, max(r.Connections, len(r.costs[base])+1), r.AllowEviction, r.Notice)
		if err != nil {
			return r.close(ctx, r.ofSide(i, err))
		}
		s := &session{now: r.Now, sleep: r.Sleep, stop: r.Stop, began: began, lasts: r.pairTime()}
		r.servers[i] = newSession(server, spec, note, s)
		r.servers[i].places = place(ctx, server)
		if err := r.servers[i].watch(ctx); err != nil {
			return r.close(ctx, err)
		}
	}
	if len(specs) == 1 {
		r.servers[head] = r.servers[base]
	}
	return nil
}

// ofSide names the flag in what is wrong with the server that a side is.
func (r *pairRun) ofSide(i int, err error) error {
	var bad *redisserver.BadSpec
	if !r.sides[i].isServer() || !errors.As(err, &bad) {
		return err
	}
	return &InputError{Err: errors.New(sideFlags[i] + strings.TrimPrefix(bad.Error(), "server"))}
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
		r.rows = append(r.rows, benchresult.PairedRow{Name: r.name(row), Pairs: []benchresult.Pair{},
			Confirm: []benchresult.Pair{}})
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
		if !compare.NeedsConfirmation(&r.rows[row]) {
			continue
		}
		r.progress.more(r.pairTime() * time.Duration(r.Pairs))
		if err := r.batch(ctx, row, "again ", &r.rows[row].Confirm); err != nil {
			return err
		}
	}
	return nil
}
