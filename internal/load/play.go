// Package load plays a scenario on the wall clock of a server: the requests that virtual time decides, at the same
// instants of the windows, sent when they are due to the scripts as they are deployed, however slow the server is. It
// measures the four durations of each request, keeps its decision, and watches the generator itself: Reasons says why
// a run's figures cannot be trusted. A Connection calls a script for one request.
//
// It starts no server, reads none of its statistics and draws no conclusion from several runs.
package load

import (
	"context"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/redis"
	"ratelab/internal/run"
)

// Options say on what is played, and how.
type Options struct {
	Server      *redis.Server
	Prefix      string // of this play's keys
	Connections int
	Clock       Stopwatch

	OnLate     string        // of the scenario
	LateAfter  time.Duration // how long a request may wait for a connection after it was due before it is late
	IntervalUS int64         // width of the intervals of the time series

	// Around is to call play once: what is measured beside the requests begins and ends here.
	Around func(target *Target, play func() error) error
}

// Played is what came of a play.
type Played struct {
	*OpenResult // intervals count from the beginning of the part
	part        *Part
	origin      time.Duration // of the scenario, by the clock of the calls
}

// player is a play under way.
type player struct {
	*Options
	plan    *run.Plan
	limiter *limiter.Limiter
	part    *Part
	ahead   time.Duration // of the server's clock before ours
	target  *Target
	origin  time.Duration // of the scenario, by our clock
}

// Play plays the part against a limiter of the plan. The error is that of the server or the script. When ctx is
// interrupted it has played less, and says so.
func Play(ctx context.Context, c *run.Plan, e *limiter.Limiter, part *Part, o Options) (out *Played, err error) {
	playing := ctx
	ctx = context.WithoutCancel(ctx)
	p := &player{Options: &o, plan: c, part: part, limiter: e}
	if p.ahead, err = ahead(ctx, o); err != nil {
		return nil, err
	}
	server := Endpoint{Client: o.Server.Client, Open: o.Server.Open}
	if p.target, err = Prepare(ctx, server, p.limiter.Program.InKeyspace(o.Prefix), o.Clock); err != nil {
		return nil, err
	}
	defer p.target.Close()
	callers := make([]Caller, o.Connections)
	for i := range callers {
		if callers[i], err = p.target.Connect(ctx); err != nil {
			return nil, err
		}
	}
	requests := p.requests()
	from := listed(requests)
	if c.Scenario.Reactive() {
		from = p.reacting()
	}
	p.aim() // for those who are introduced
	if p.limiter.Program.Init != nil {
		err = p.target.Introduce(ctx, firstKeys(part.Requests))
	}
	if err != nil {
		return nil, err
	}
	err = o.Around(p.target, func() error {
		p.aim()
		r, err := openLoop(playing, from, len(requests), callers, p.origin+part.From, &o)
		out = &Played{r, part, p.origin}
		return err
	})
	return out, err
}

// preparation is what a play needs to begin: the rehearsal, and before it time for the threads to be there.
const preparation = rehearsal + 7*time.Millisecond

// longestAlignment is the longest window for whose phase a play waits.
const longestAlignment = time.Minute

// aim fixes the origin: the part begins as soon as may be, with the server's clock where the scenario's is in its
// window, for what goes by windows that lie where a clock puts them. Such a window that is too long to wait for begins
// before the part, and ends after it. All the others begin at the scenario's part of a millisecond, since TTLs are
// counted in those.
func (p *player) aim() {
	p.origin = p.Clock.Now() + preparation - p.part.From
	begins := func() time.Time { return p.Clock.Origin.Add(p.origin + p.ahead) }
	start, window := p.plan.Scenario.Start, p.limiter.Policy.Window
	p.origin += untilPhase(start, begins(), time.Millisecond)
	if p.limiter.Aligned && window <= longestAlignment {
		p.origin += untilPhase(start, begins(), window)
	} else if edge := untilPhase(time.UnixMicro(0), begins().Add(p.part.From), window); p.limiter.Aligned &&
		edge < p.part.Length() {
		p.origin += edge
	}
	p.target.clock.Origin = p.Clock.Origin.Add(p.ahead)
}

// untilPhase is how long after t the wall clock is as far into a window as a scenario's clock at its start, so that a
// play which begins then finds aligned windows where virtual time has them.
func untilPhase(start, t time.Time, window time.Duration) time.Duration {
	w := window.Microseconds()
	return time.Duration(((start.UnixMicro()-t.UnixMicro())%w+w)%w) * time.Microsecond
}

// Before a play begins, each connection asks the server for nothing, once or twice. Threads and servers that have
// slept for long wake up late: the first request would be taken some 150 µs later than those behind it, and a bucket's
// permits come back counted from the first.
const (
	rehearsals     = 64
	rehearsalEvery = 200 * time.Microsecond
	rehearsal      = rehearsals * rehearsalEvery
)

// requests are the rehearsal and the part's, from its beginning on.
func (p *player) requests() []limit.Request {
	all := make([]limit.Request, 0, rehearsals+len(p.part.Requests))
	for i := range int64(rehearsals) {
		all = append(all, limit.Request{AtUS: (i - rehearsals) * rehearsalEvery.Microseconds()})
	}
	for _, q := range p.part.Requests {
		q.AtUS -= p.part.From.Microseconds()
		all = append(all, q)
	}
	return all
}

// mostIntroduced is how many keys are initialised before they are played; others are at their first request.
const mostIntroduced = 10_000

// firstKeys are the first distinct keys that are asked for.
func firstKeys(requests []limit.Request) []string {
	seen := map[string]bool{}
	var all []string
	for _, q := range requests {
		if !seen[q.Key] && len(all) < mostIntroduced {
			seen[q.Key] = true
			all = append(all, q.Key)
		}
	}
	return all
}

// ahead is how far the server's clock is before ours, the middle of the shortest of a few questions. Behind a
// socket is the same clock.
func ahead(ctx context.Context, o Options) (best time.Duration, err error) {
	var shortest time.Duration
	for i := range 5 {
		asked := o.Clock.Now()
		server, err := o.Server.Client.Time(ctx).Result()
		if err != nil {
			return 0, err
		}
		took := o.Clock.Now() - asked
		if i == 0 || took < shortest {
			best, shortest = server.Sub(o.Clock.Origin.Add(asked+took/2)), took
		}
	}
	if best.Abs() > shortest { // no clock is known better than that
		return best, nil
	}
	return 0, nil
}
