package simulate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/redisserver"
	"ratelab/internal/replay"
	"ratelab/internal/report"
	"ratelab/internal/waiting"
)

// runReal replays a scenario twice: under the virtual clock, and then paced on the wall clock with the scripts as
// they are deployed. The figures are those of the wall clock; each row says how many decisions differ.
func (j *Job) runReal(ctx context.Context, p *contest, b *backend) ([]*lane, *replay.Outcome, error) {
	virtual, err := j.remember(ctx, p, b)
	if err != nil {
		return nil, nil, err
	}
	lanes, err := j.realLanes(ctx, p, b)
	if err != nil {
		return nil, nil, err
	}
	for i, l := range lanes {
		l.observers = append(l.observers, l.means.(*paced).comparison(virtual[i]))
	}
	outcome, err := j.record(ctx, p, lanes, replay.Options{Span: 50 * time.Millisecond})
	return lanes, outcome, err
}

// remember replays the scenario under the virtual clock and keeps what was admitted, lane by lane.
func (j *Job) remember(ctx context.Context, p *contest, b *backend) ([]*admissions, error) {
	lanes, err := b.virtualLanes(ctx, p)
	if err != nil {
		return nil, err
	}
	var all []*admissions
	for _, l := range lanes {
		a := &admissions{}
		all = append(all, a)
		l.observers = append(l.observers, a.add)
	}
	_, err = j.replay(ctx, p, lanes, replay.Options{Parallel: b.parallel()})
	return all, err
}

// admissions is one bool for each request; a real clock's scenario is never so long that this matters.
type admissions struct{ allowed []bool }

func (a *admissions) add(_ []limit.Request, decisions []limit.Decision) error {
	for _, d := range decisions {
		a.allowed = append(a.allowed, d.Allowed())
	}
	return nil
}

// comparison counts the decisions that differ from those in virtual time.
func (w *paced) comparison(virtual *admissions) observer {
	rest := virtual.allowed
	return func(_ []limit.Request, decisions []limit.Decision) error {
		n := min(len(decisions), len(rest)) // there are fewer where the job was stopped while they were made
		for i, allowed := range rest[:n] {
			if decisions[i].Allowed() != allowed {
				w.differs++
			}
		}
		rest = rest[n:]
		return nil
	}
}

func (j *Job) realLanes(ctx context.Context, p *contest, b *backend) ([]*lane, error) {
	origin := j.origin(p)
	waiting.Of(ctx).Announce("the wall clock to reach a multiple of the window", origin.Sub(j.Now()))
	clock := replay.Clock{Now: j.Now, Sleep: j.sleep}
	var lanes []*lane
	for i, c := range p.Entries {
		s, watch := b.server(i), b.watch(i)
		lasts, _ := p.stream.Duration()
		keys := replay.Keys{Shared: !s.Own, Lasts: lasts, Sentinel: lineup.Sentinel(s, c.Label)}
		script, err := replay.NewWallClock(ctx, s.Client, keys, c.Program.InKeyspace(s.Prefix), clock, origin)
		if err != nil {
			return nil, &replay.LaneError{Label: c.Label, Err: redisserver.Explain(err, s)}
		}
		lanes = append(lanes, &lane{entry: c, decider: c.Balanced(watch.Explaining(script)),
			means: &paced{WallClock: script, label: c.Label, watch: watch}})
	}
	return lanes, nil
}

// paced is a script on the wall clock.
type paced struct {
	*replay.WallClock
	label   string
	watch   *lineup.Watch
	differs int64 // decisions that are not those of virtual time
}

// survey looks whether the keys of the run were deleted.
func (w *paced) survey(ctx context.Context, _ int64) error {
	err := w.Check(ctx)
	if errors.Is(err, replay.ErrGone) {
		return w.named(w.watch.Gone(ctx))
	}
	return w.named(w.watch.Explain(ctx, err))
}

func (w *paced) complete(row *report.Row) { row.DiffersFromVirtual = &w.differs }

func (w *paced) close(ctx context.Context) error {
	err := w.Close(ctx)
	if err == nil {
		return nil
	}
	w.watch.Server().LeftKeys()
	return w.named(w.watch.Explain(ctx, err))
}

func (w *paced) named(err error) error {
	if err == nil {
		return nil
	}
	return &replay.LaneError{Label: w.label, Err: err}
}

// preparation is how long the scripts may take to load before the first request is late.
const preparation = 300 * time.Millisecond

// origin is when the first request is due: soon, and at a multiple of the windows where that is not far, because
// aligned windows otherwise begin elsewhere than in virtual time.
func (j *Job) origin(p *contest) time.Time {
	soon := j.Now().Add(preparation)
	window := p.Alignment()
	if window > lineup.LongestAlignment {
		return soon
	}
	return soon.Add(p.UntilPhase(soon, window))
}

// sleep ends early when the job is to stop.
func (j *Job) sleep(ctx context.Context, d time.Duration) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan struct{})
	defer close(done)
	go func() {
		select {
		case <-j.Stop:
			cancel(replay.ErrStopped)
		case <-done:
		}
	}()
	if err := j.Sleep(ctx, d); err != nil {
		return context.Cause(ctx)
	}
	return nil
}

// realNotes says how a run on the wall clock differs from virtual time, and why that may be.
func realNotes(p *contest, lanes []*lane) []string {
	var late time.Duration
	var most int64
	for _, l := range lanes {
		w := l.means.(*paced)
		late, most = max(late, w.Late()), max(most, w.differs)
	}
	notes := []string{fmt.Sprintf("paced on the wall clock: no request was sent more than %v after its time; the "+
		"measures count from the intended times",
		late.Round(time.Microsecond))}
	switch most {
	case 0:
		notes = append(notes, "every decision is the one of virtual time")
	default:
		notes = append(notes, fmt.Sprintf("up to %d decisions of a row differ from virtual time: a request that "+
			"comes late falls on the other side of "+
			"a boundary, TTLs count whole milliseconds, and the server's clock is not ours; one such decision "+
			"changes those after it", most))
	}
	if window := p.Alignment(); window > lineup.LongestAlignment {
		notes = append(notes, fmt.Sprintf("the run did not begin at a multiple of %s: aligned windows begin "+
			"elsewhere than in virtual time", limit.FormatDuration(window)))
	}
	return notes
}
