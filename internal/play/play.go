// Package play plays a stretch of a scenario on the wall clock of a server: the requests that virtual time decides, at
// the same instants of the windows, sent on time to the scripts as they are deployed. What comes before the stretch is
// decided in virtual time on the same server, at the instants at which it would have happened.
//
// It measures the four durations of each request and keeps its decision. What figures follow from them is its callers'
// business.
package play

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"ratelab/internal/caller"
	"ratelab/internal/clients"
	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/load"
	"ratelab/internal/redisserver"
	"ratelab/internal/replay"
	"ratelab/internal/virtualtime"
	"ratelab/internal/waiting"
)

// Options say on what is played, and how.
type Options struct {
	Server      *redisserver.Server
	Prefix      string // of this play's keys
	Connections int
	Clock       load.Stopwatch
	Sleep       func(context.Context, time.Duration) error

	OnLate     string        // as that of load.OpenOptions
	LateAfter  time.Duration // the same
	IntervalUS int64         // the same
	Stop       <-chan struct{}

	// Sentinel is a key of the play's own that is looked for at its end: "": none.
	Sentinel string
	// Answered, where it is not nil, is told how many answers there are, now and then.
	Answered func(n int64)

	// Together, where it is not nil, is who else plays the same stretch at the same time, with other requests of it.
	Together Together

	// Around, where it is not nil, is to call play once: what is measured beside the requests begins and ends here.
	Around func(target *caller.Target, play func() error) error
}

// Played is what came of a play.
type Played struct {
	*load.OpenResult // instants and intervals count from the beginning of the stretch

	Answers   []Answer      // to each request of the stretch; the zero value of one that was not sent
	Origin    time.Time     // on the server's clock, of the scenario's start
	Shift     time.Duration // how far ahead of the server's clock the clients were set
	Forwarded int64         // requests decided before the stretch

	// Where clients react each row has its own requests, those of the Answers, and its own past. Else both are nil.
	Part   *Part
	Record *Record
}

// Answer is what a request met.
type Answer struct {
	Decision limit.Decision
	// The server decided between the two, in µs from the scenario's start.
	WrittenUS, RepliedUS int64
	Sent                 bool
}

// mostAttempts is how often a play is prepared that comes too late for its beginning.
const mostAttempts = 5

// errLate is a preparation that took longer than was foreseen.
var errLate = fmt.Errorf("the play was not ready in time, %d times: something else keeps this machine busy",
	mostAttempts)

// Run plays the part against an entry of the contest. The error is a *NotPlayable, that of the server or the script, or
// replay.ErrStopped where it was told to stop before it began to play; a run that is stopped later has played less, and
// says so.
func Run(ctx context.Context, c *lineup.Contest, e *lineup.Entry, p *Part, o Options) (*Played, error) {
	pl := &player{contest: c, entry: e, part: p, Options: o}
	var err error
	if pl.entry, pl.shifts, err = onTheWallClock(e); err != nil {
		return nil, err
	}
	if pl.ahead, pl.unsure, err = ahead(ctx, o); err != nil {
		return nil, err
	}
	spare := preparation
	if o.Together != nil {
		spare = preparationOfAll
	}
	for range mostAttempts {
		var played *Played
		if played, err = pl.attempt(ctx, spare); !errors.Is(err, errLate) {
			return played, err
		}
		spare = 2 * max(spare, pl.took)
	}
	return nil, err
}

// preparation is how long a play needs to get ready, unless much comes before it.
const preparation = 30 * time.Millisecond

// player is a play under way.
type player struct {
	Options
	contest *lineup.Contest
	entry   *lineup.Entry
	part    *Part
	shifts  bool          // the client's clock is set so that it is where the scenario's is in its window
	ahead   time.Duration // of the server's clock before ours
	unsure  time.Duration // how far that may be off
	took    time.Duration // to get ready

	origin  time.Duration // of the scenario, by our clock
	shift   time.Duration // of the client's clock
	target  *caller.Target
	callers []*caller.Connection
	forward *virtualtime.Runner
	count   int64 // of requests before the stretch

	live *clients.Live // where clients react; else nil
	past clients.Journal
}

// attempt plays once, and deletes what is left; errLate: it could not begin in time.
func (p *player) attempt(ctx context.Context, spare time.Duration) (played *Played, err error) {
	if err = p.aimTogether(ctx, spare); err != nil {
		return nil, err
	}
	began := p.Clock.Now()
	defer func() {
		if closed := p.close(context.WithoutCancel(ctx)); err == nil {
			err = closed
		}
	}()
	if err = p.fastForward(ctx); err == nil {
		err = p.connect(ctx)
	}
	if err != nil {
		return nil, err
	}
	p.took = p.Clock.Now() - began
	played, err = p.play(ctx)
	return p.endTogether(ctx, played, err)
}

// start is when the stretch begins, by our clock.
func (p *player) start() time.Duration { return p.origin + p.part.From }

// aim fixes the origin: the stretch begins once there was time enough to prepare it, with the server's clock where the
// scenario's is in its window, for what goes by windows that lie where a clock puts them. Where such a window is too
// long to wait for, the clients' clocks are set instead. All the others begin at the scenario's part of a millisecond,
// since TTLs are counted in those.
func (p *player) aim(spare time.Duration) {
	p.origin, p.shift = p.Clock.Now()+spare-p.part.From, 0
	p.origin += p.contest.UntilPhase(p.onServer(0), time.Millisecond)
	if !p.entry.Aligned {
		return
	}
	until := p.contest.UntilPhase(p.onServer(0), p.entry.Policy.Window)
	if p.shifts {
		p.shift = until
	} else {
		p.origin += until
	}
}

// onServer is what the server's clock shows so long after the scenario's start.
func (p *player) onServer(d time.Duration) time.Time {
	return p.Clock.Origin.Add(p.origin + p.ahead + d)
}

// connect makes the callers ready.
func (p *player) connect(ctx context.Context) error {
	server := caller.Server{Client: p.Server.Client, Open: p.Server.Open}
	var err error
	p.target, err = caller.Prepare(ctx, server, p.entry.Program.InKeyspace(p.Prefix), caller.Options{
		Shared: !p.Server.Own, Lasts: p.start() + p.part.Length(),
		Origin: p.Clock.Origin.Add(p.ahead + p.shift), Now: p.Clock.Now,
	})
	if err != nil {
		return err
	}
	p.callers = nil
	for range p.Connections {
		c, err := p.target.Connect(ctx)
		if err != nil {
			return err
		}
		p.callers = append(p.callers, c)
	}
	if p.forward != nil {
		p.target.Introduced(p.forward.Introduced())
	}
	if p.follows() {
		keys, err := p.introducedByFirst()
		p.target.Introduced(keys)
		return err
	}
	if err := p.target.Introduce(ctx, p.keys(mostIntroduced)); err != nil || p.Sentinel == "" {
		return err
	}
	return p.Server.Client.Set(ctx, p.Sentinel, 1, p.target.TTL()).Err()
}

// ErrGone is a play in the middle of which somebody deleted its keys. Of other keys than the sentinel only the server
// knows whether they expired.
var ErrGone = errors.New("keys of the run vanished from the server in the middle of it")

// seeSentinel fails with ErrGone where the sentinel is gone.
func (p *player) seeSentinel(ctx context.Context) error {
	if p.Sentinel == "" {
		return nil
	}
	n, err := p.Server.Client.Exists(ctx, p.Sentinel).Result()
	if err == nil && n == 0 {
		err = ErrGone
	}
	return err
}

// mostIntroduced is how many keys are initialised before they are played; others are at their first request.
const mostIntroduced = 10_000

// play sends the requests.
func (p *player) play(ctx context.Context) (*Played, error) {
	out := &Played{Origin: p.onServer(0), Shift: p.shift, Forwarded: p.count}
	around := p.Around
	if around == nil {
		around = func(_ *caller.Target, play func() error) error { return play() }
	}
	err := around(p.target, func() (err error) {
		if p.Clock.Now() > p.start()-rehearsal-lead {
			return errLate
		}
		return p.send(ctx, out)
	})
	if err != nil {
		return nil, err
	}
	if err := p.seeSentinel(ctx); err != nil {
		return nil, err
	}
	if late := out.Start.Sub(p.Clock.Origin.Add(p.start())); late > time.Millisecond {
		return nil, errLate
	}
	return out, nil
}

// send lets the requests go.
func (p *player) send(ctx context.Context, out *Played) (err error) {
	o := load.OpenOptions{Clock: p.Clock, At: p.start(), OnLate: p.OnLate, LateAfter: p.LateAfter,
		IntervalUS: p.IntervalUS, Stop: p.Stop}
	if p.live == nil {
		out.OpenResult, err = p.sendRehearsed(ctx, out, o)
		return err
	}
	callers := make([]load.Caller, len(p.callers))
	for i, c := range p.callers {
		callers[i] = c
	}
	s := p.source()
	out.OpenResult, err = load.OpenFrom(ctx, s, callers, o)
	out.Answers = s.answers
	out.Part, out.Record = s.own()
	return err
}

// lead is how long before its first request load.Open wants to be called.
const lead = 6 * time.Millisecond

func (p *player) answer(o load.Outcome) Answer {
	us := func(at time.Duration) int64 { return (at - p.origin).Microseconds() }
	a := Answer{o.Decision, us(o.Written), us(o.Replied), true}
	if p.Together != nil { // instants by several clocks are compared, which agree no better than that
		a.WrittenUS -= p.unsure.Microseconds()
		a.RepliedUS += p.unsure.Microseconds()
	}
	return a
}

// stream are the requests of the stretch, from its beginning on, each as the balancer before the gateways sends it,
// whose turns go on from those before the stretch.
func (p *player) stream() iter.Seq2[limit.Request, error] { return p.sent(p.part) }

func (p *player) sent(part *Part) iter.Seq2[limit.Request, error] {
	return func(yield func(limit.Request, error) bool) {
		route := p.entry.Route(uint64(p.count))
		for _, q := range part.Requests {
			q.AtUS -= part.From.Microseconds()
			q.Key = route(q.Key)
			if !yield(q, nil) {
				return
			}
		}
	}
}

// keys are the first distinct keys that are asked for, no more than most.
func (p *player) keys(most int) []string {
	if p.entry.Program.Init == nil {
		return nil
	}
	seen := map[string]bool{}
	var all []string
	for q := range p.sent(p.whole()) {
		if seen[q.Key] {
			continue
		}
		if len(all) == most {
			break
		}
		seen[q.Key] = true
		all = append(all, q.Key)
	}
	return all
}

// close ends the connections and deletes the keys.
func (p *player) close(ctx context.Context) error {
	var err error
	if p.target != nil {
		err = p.target.Close(ctx)
		if p.Sentinel != "" {
			err = errors.Join(err, p.Server.Client.Del(ctx, p.Sentinel).Err())
		}
	}
	if p.forward != nil {
		err = errors.Join(err, p.forward.Close(ctx))
	}
	p.target, p.forward, p.live = nil, nil, nil
	return err
}

// fastForward decides what comes before the stretch.
func (p *player) fastForward(ctx context.Context) error {
	p.count = 0
	if p.follows() || p.part.From == 0 && !p.contest.Scenario.Reactive() {
		return nil
	}
	clock := replay.Clock{Now: func() time.Time { return p.Clock.Origin.Add(p.Clock.Now()) }, Sleep: p.Sleep}
	times := lineup.Times{Start: p.onServer(0), Prefix: p.Prefix}
	runner, err := lineup.Runner(ctx, p.Server, p.entry.Program, times, 0, clock)
	if err != nil {
		return err
	}
	p.forward = runner
	decider := &shifted{inner: p.entry.Balanced(runner), byUS: p.shift.Microseconds()}
	if p.contest.Scenario.Reactive() {
		err = p.forwardClients(ctx, decider)
	} else {
		err = p.decideBefore(ctx, decider, p.part.Before())
	}
	if err != nil {
		return err
	}
	return runner.HandOver(ctx)
}

// decideBefore decides what comes before the stretch.
func (p *player) decideBefore(ctx context.Context, d replay.Decider, before iter.Seq2[limit.Request, error]) error {
	return inBatches(before, func(batch []limit.Request) error {
		if waiting.Closed(p.Stop) {
			return replay.ErrStopped
		}
		p.count += int64(len(batch))
		return d.Decide(ctx, batch, make([]limit.Decision, len(batch)))
	})
}

// shifted decides for clients whose clocks are set.
type shifted struct {
	inner replay.Decider
	byUS  int64
}

// Decide gives inner's errors.
func (s *shifted) Decide(ctx context.Context, requests []limit.Request, decisions []limit.Decision) error {
	requests = slices.Clone(requests)
	for i := range requests {
		requests[i].ClientSkewUS += s.byUS
	}
	return s.inner.Decide(ctx, requests, decisions)
}

// ahead is how far the server's clock is before ours, the middle of the shortest of a few questions, and how far that
// may be off. Behind a socket is the same clock.
func ahead(ctx context.Context, o Options) (best, unsure time.Duration, err error) {
	var shortest time.Duration
	for i := range 5 {
		asked := o.Clock.Now()
		server, err := o.Server.Client.Time(ctx).Result()
		if err != nil {
			return 0, 0, redisserver.Explain(err, o.Server)
		}
		took := o.Clock.Now() - asked
		if i == 0 || took < shortest {
			best, shortest = server.Sub(o.Clock.Origin.Add(asked+took/2)), took
		}
	}
	switch {
	case best.Abs() > shortest: // no clock is known better than that
		return best, shortest / 2, nil
	case o.Server.Transport == redisserver.TransportUnix:
		return 0, 0, nil
	}
	return 0, best.Abs() + shortest/2, nil
}

// NotPlayable is a row that the wall clock cannot play.
type NotPlayable struct{ Label, Why string }

func (e *NotPlayable) Error() string { return fmt.Sprintf("%s: %s", e.Label, e.Why) }
