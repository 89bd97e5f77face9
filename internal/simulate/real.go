package simulate

import (
	"context"
	"fmt"
	"iter"
	"time"

	"golang.org/x/sync/errgroup"

	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/load"
	"ratelab/internal/measure"
	"ratelab/internal/play"
	"ratelab/internal/redisserver"
	"ratelab/internal/replay"
	"ratelab/internal/report"
	"ratelab/internal/waiting"
)

// runReal replays a scenario under the virtual clock, and then plays it on the wall clock with the scripts as they are
// deployed, all rows side by side. The figures are those of the wall clock; each row says how many decisions differ.
func (j *Job) runReal(ctx context.Context, p *contest, b *backend) ([]*lane, *replay.Outcome, error) {
	part, err := play.NewPart(p.stream, play.Wish{Whole: true})
	if err != nil {
		return nil, nil, &InputError{Err: err}
	}
	records, err := j.remember(ctx, p, b, part)
	if err != nil {
		return nil, nil, err
	}
	waiting.Of(ctx).Announce("the wall clock to reach a multiple of the window", p.longestWait())
	rows, err := j.playReal(ctx, p, b, part)
	if err != nil {
		return nil, nil, err
	}
	return j.measureReal(ctx, p, part, rows, records)
}

// remember replays the scenario under the virtual clock and keeps what was decided, lane by lane.
func (j *Job) remember(ctx context.Context, p *contest, b *backend, part *play.Part) ([]*play.Record, error) {
	lanes, err := b.virtualLanes(ctx, p)
	if err != nil {
		return nil, err
	}
	var all []*play.Record
	for _, l := range lanes {
		r := play.NewRecord(part)
		all = append(all, r)
		l.observers = append(l.observers, r.Observe)
	}
	_, err = j.replay(ctx, p, p.stream, lanes, replay.Options{Parallel: b.parallel(), Stop: j.Stop})
	return all, err
}

// longestWait is how long a row may wait for its window.
func (p *contest) longestWait() time.Duration {
	var most time.Duration
	for _, e := range p.Entries {
		if e.Aligned && e.Policy.Window <= lineup.LongestAlignment {
			most = max(most, e.Policy.Window)
		}
	}
	return most
}

// realConnections are so many for each row: enough for a burst to be decided at once, few enough for many rows.
const realConnections = 8

// playReal plays every row.
func (j *Job) playReal(ctx context.Context, p *contest, b *backend, part *play.Part) ([]*paced, error) {
	rows := make([]*paced, len(p.Entries))
	group, inner := errgroup.WithContext(ctx)
	for i, e := range p.Entries {
		s, watch := b.server(i), b.watch(i)
		o := play.Options{Server: s, Prefix: s.Prefix, Connections: realConnections, Clock: load.NewClock(j.Now()),
			Sleep: j.Sleep, LateAfter: time.Hour, Stop: j.Stop, Sentinel: lineup.Sentinel(s, e.Label)}
		if i == 0 && j.Progress != nil {
			o.Answered = j.Progress.Requests
		}
		group.Go(func() error {
			played, err := play.Run(inner, &p.Contest, e, part, o)
			rows[i] = &paced{Played: played, entry: e}
			return realError(inner, watch, e.Label, err)
		})
	}
	return rows, group.Wait()
}

// realError names the row, and says in our words what is wrong with its server.
func realError(ctx context.Context, w *lineup.Watch, label string, err error) error {
	switch err {
	case nil:
		return nil
	case play.ErrGone:
		err = w.Gone(ctx)
	default:
		err = w.Explain(ctx, redisserver.Explain(err, w.Server()))
	}
	return &replay.LaneError{Label: label, Err: err}
}

// paced is a row that was played on the wall clock.
type paced struct {
	model
	*play.Played
	entry   *lineup.Entry
	differs int64 // decisions that are not those of virtual time
}

func (w *paced) complete(row *report.Row) { row.DiffersFromVirtual = &w.differs }

// late is the most that a request was written after it was due.
func (w *paced) late(part *play.Part) time.Duration {
	var most int64
	for i, a := range w.Answers {
		if a.Sent {
			most = max(most, a.WrittenUS-part.Requests[i].AtUS)
		}
	}
	return time.Duration(most) * time.Microsecond
}

// measureReal measures what was played, as far as every row got.
func (j *Job) measureReal(ctx context.Context, p *contest, part *play.Part, rows []*paced, records []*play.Record) (
	[]*lane, *replay.Outcome, error) {
	n := len(part.Requests)
	for _, w := range rows {
		n = min(n, w.Answered())
	}
	var lanes []*lane
	for i, w := range rows {
		w.differs = w.Differing(records[i], n)
		lanes = append(lanes, &lane{entry: w.entry, decider: records[i].Then(w.Played), means: w})
	}
	whole := n == len(part.Requests)
	var t replay.Traffic = p.stream
	if !whole {
		t = beginning(part.Requests[:n])
	}
	outcome, err := j.record(ctx, p, t, lanes, replay.Options{})
	if err != nil {
		return nil, nil, err
	}
	outcome.Partial = !whole
	for i, w := range rows {
		if err := w.surely(ctx, p, part, records[i], &outcome.Lanes[i].Result); err != nil {
			return nil, nil, err
		}
		p.late = max(p.late, w.late(part))
	}
	return lanes, outcome, nil
}

// surely puts what was let through too much, for certain, in the place of what the times at which requests were due
// make of it: the server took them later, and a limiter that keeps its word by its own clock may seem not to.
func (w *paced) surely(ctx context.Context, p *contest, part *play.Part, r *play.Record, m *measure.Result) error {
	least, err := w.Least(ctx, &p.Contest, part, r)
	if err != nil || least.PeakWindowAdmitted >= m.PeakWindowAdmitted {
		return err
	}
	m.PeakWindowAdmitted, m.Overshoot = least.PeakWindowAdmitted, least.Overshoot
	m.Excess, m.ExcessCost = min(m.Excess, least.Excess), min(m.ExcessCost, least.ExcessCost)
	return nil
}

// beginning is what every row of an interrupted run has decided.
type beginning []limit.Request

// Requests are in order.
func (b beginning) Requests() iter.Seq2[limit.Request, error] {
	return func(yield func(limit.Request, error) bool) {
		for _, q := range b {
			if !yield(q, nil) {
				return
			}
		}
	}
}

// Duration ends with the last of them.
func (b beginning) Duration() (time.Duration, bool) {
	if len(b) == 0 {
		return time.Microsecond, true
	}
	return time.Duration(b[len(b)-1].AtUS+1) * time.Microsecond, true
}

// realNotes says how a run on the wall clock differs from virtual time, and why that may be.
func realNotes(p *contest, lanes []*lane) []string {
	var most int64
	for _, l := range lanes {
		most = max(most, l.means.(*paced).differs)
	}
	notes := []string{fmt.Sprintf("paced on the wall clock: no request was sent more than %v after its time; the "+
		"measures count from the intended times, but for peak and excess, which are what was let through for certain",
		p.late.Round(time.Microsecond))}
	switch most {
	case 0:
		notes = append(notes, "every decision is the one of virtual time")
	default:
		notes = append(notes, fmt.Sprintf("up to %d decisions of a row differ from virtual time: a request that "+
			"comes late falls on the other side of "+
			"a boundary, TTLs count whole milliseconds, and the server's clock is not ours; one such decision "+
			"changes those after it", most))
	}
	return notes
}
