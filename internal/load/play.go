// Package load plays a scenario on a real server, on the wall clock. It sends the requests that virtual time decides,
// at the same positions within the windows, each when it is due, however slow the server is. The scripts run as they
// are deployed. The package measures the four durations of each request and keeps its decision. It also watches the
// generator itself: Reasons returns the reasons why a measurement is invalid. A Connection calls a script for one
// request.
//
// The package starts no server, reads no statistics of the server, and draws no conclusion from several runs.
package load

import (
	"context"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/redis"
	"ratelab/internal/run"
)

// Options configure a play.
type Options struct {
	Server      *redis.Server
	Prefix      string // prefix of this play's keys
	Connections int
	Clock       Stopwatch

	OnLate     string        // of the scenario
	LateAfter  time.Duration // how long after its due time a request may wait for a connection before it is late
	IntervalUS int64         // width of the intervals of the time series

	// Around must call play once. The caller uses it to measure the server at the beginning and at the end of the play.
	Around func(target *Target, play func() error) error
}

// Played is the result of a play.
type Played struct {
	*OpenResult // intervals count from the beginning of the part
	part        *Part
	origin      time.Duration // when the scenario starts, by the clock of the calls
}

// player is a play in progress.
type player struct {
	*Options
	plan    *run.Plan
	limiter *limiter.Limiter
	part    *Part
	ahead   time.Duration // by how much the server's clock is ahead of ours
	target  *Target
	origin  time.Duration // when the scenario starts, by our clock
}

// Play plays the part with a limiter of the plan. It returns errors of the server and of the script. If ctx is
// interrupted, it returns what was played by then, with Stopped set.
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
	p.aim() // init is told the time by this origin
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

// preparation is how long before the part a play begins: the rehearsal, and time to start the threads.
const preparation = rehearsal + 7*time.Millisecond

// longestAlignment is the longest window for whose beginning a play waits.
const longestAlignment = time.Minute

// aim sets the origin: when the scenario's time 0 is. The part begins as soon as possible, under these conditions. For
// a limiter whose windows are aligned to the clock, the server's clock must be at the same position within the window
// as the scenario's clock. If such a window is too long to wait for, the part must not cross the beginning of a window.
// If it would, it begins at that instant. All other limiters begin at the scenario's fraction of a millisecond, because
// TTLs are counted in milliseconds.
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

// untilPhase returns how long after t the wall clock will be at the same position within a window as the scenario's
// clock at its start. If the play begins then, aligned windows begin at the same instants as in virtual time.
func untilPhase(start, t time.Time, window time.Duration) time.Duration {
	w := window.Microseconds()
	return time.Duration(((start.UnixMicro()-t.UnixMicro())%w+w)%w) * time.Microsecond
}

// Before a play begins, each connection sends one or two PINGs. Threads and servers that have slept for long wake up
// late. Without the PINGs the first request would arrive some 150 µs later than the following ones, and a bucket counts
// the return of its tokens from the first request.
const (
	rehearsals     = 64
	rehearsalEvery = 200 * time.Microsecond
	rehearsal      = rehearsals * rehearsalEvery
)

// requests returns the rehearsal and the requests of the part. AtUS counts from the beginning of the part.
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

// mostIntroduced is the most keys that are initialised before the play. Further keys are initialised at their first
// requests.
const mostIntroduced = 10_000

// firstKeys returns the first distinct keys of the requests, at most mostIntroduced.
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

// ahead returns by how much the server's clock is ahead of ours. It asks the server a few times, and uses the middle of
// the shortest exchange. If the server is on this machine, both clocks are the same.
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
	if best.Abs() > shortest { // a smaller difference is within the error of measurement
		return best, nil
	}
	return 0, nil
}
