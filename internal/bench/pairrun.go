package bench

import (
	"context"
	"errors"
	"strings"
	"time"

	"ratelab/internal/benchresult"
	"ratelab/internal/callgrind"
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

	began   time.Time
	rows    []benchresult.PairedRow
	reasons []benchresult.Reason // why the whole is invalid
	void    voids
	partial bool
	counted *benchresult.Counted // nil: not asked for, or not yet
	untimed string               // why times were not measured
}

// run does the comparison.
func (p *pairPlan) run(ctx context.Context) (*benchresult.Paired, error) {
	if p.Instructions == CountOrFail {
		if _, err := callgrind.Version(ctx); err != nil {
			return nil, err
		}
	}
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
	r := &pairRun{pairPlan: p, progress: newProgress(p.Progress, p.estimate()), began: p.Now()}
	r.void.planned = len(p.costs[base]) * p.Pairs
	return r
}

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
	firsts := []*contest{p.runs[base][0], p.runs[head][0]}
	if p.pinned != nil {
		firsts = append(firsts, p.pinnedRuns[0])
	}
	for _, first := range firsts {
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
	for i, spec := range specs {
		if err := r.open(ctx, i, spec); err != nil {
			return r.close(ctx, r.ofSide(i, err))
		}
	}
	r.shareServer()
	return nil
}

// open gets a side's server, and looks after it.
func (r *pairRun) open(ctx context.Context, i int, spec string) error {
	server, note, err := startServer(ctx, spec, r.mostConnections(), r.AllowEviction, r.Notice)
	if err != nil {
		return err
	}
	s := &session{now: r.Now, sleep: r.Sleep, stop: r.Stop, began: r.began, lasts: r.pairTime()}
	r.servers[i] = newSession(server, spec, note, s)
	r.servers[i].places = place(ctx, server)
	return r.servers[i].watch(ctx)
}

// shareServer makes the base's server the head's, where there is one.
func (r *pairRun) shareServer() {
	if r.controls() == 1 {
		r.servers[head] = r.servers[base]
	}
}

// restart gets new servers for those that are ours, so that pairs depend on each other in nothing.
func (r *pairRun) restart(ctx context.Context) error {
	for _, s := range r.sessions() {
		if err := s.renew(ctx, r.mostConnections(), r.AllowEviction); err != nil {
			return err
		}
	}
	return nil
}

// mostConnections is how many connections a side has open at a time.
func (r *pairRun) mostConnections() int { return max(r.Connections, len(r.costs[base])+1) }

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
	if err := r.countPinned(ctx); err != nil {
		return err
	}
	if !r.failed() {
		if err := r.instructions(ctx); err != nil {
			return err
		}
	}
	if r.untimed = r.whyUntimed(); r.untimed != "" {
		return nil
	}
	for row := range r.rows {
		if err := r.first(ctx, row); err != nil {
			return err
		}
	}
	for row := range r.rows {
		if err := r.second(ctx, row); err != nil {
			return err
		}
	}
	return nil
}

// first measures a row until the verdict on it is clear.
func (r *pairRun) first(ctx context.Context, row int) error {
	found := &r.rows[row]
	return r.batch(ctx, row, "", &found.Pairs, func() bool { return compare.Decided(found, len(r.rows)) })
}

// second measures a row again whose client is slower, until that is confirmed or refuted.
func (r *pairRun) second(ctx context.Context, row int) error {
	found := &r.rows[row]
	if !compare.NeedsConfirmation(found, len(r.rows)) {
		return nil
	}
	r.void.planned += r.Pairs
	r.progress.more(r.pairTime() * time.Duration(r.Pairs))
	return r.batch(ctx, row, "again ", &found.Confirm, func() bool { return compare.Confirmed(found, len(r.rows)) })
}
