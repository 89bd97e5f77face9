package run

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"ratelab/internal/clients"
	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/measure"
	"ratelab/internal/message"
	"ratelab/internal/replay"
	"ratelab/internal/result"
	"ratelab/internal/script"
	"ratelab/internal/sequence"
	"ratelab/internal/virtualtime"
)

// row is one limiter of one plan.
type row struct {
	*limiter.Limiter
	script  Script            // on a server; nil: the model decides
	samples []*sampling       // their scripts confirm a sample; nil: the script decides everything
	left    *virtualtime.Left // left by the script; nil: not counted
	decider replay.Decider
	another func() replay.Decider // see replay.Row
	observe Observer              // may be nil

	mu       sync.Mutex
	endings  []*ending // of the models, one for each source of requests
	tooLarge int64     // requests that reserve more than the limit

	// The following fields are for plans whose clients react.

	protocol clients.Protocol
	answers  clients.Replier
	model    *clients.Limiter   // nil: the script decides
	right    replay.Decider     // the script for correct clocks; nil: clocks are correct, or there is a model
	sequence *sequence.Play     // nil: the row is not a sequence
	flag     *clients.LocalFlag // nil: the row's clients have no local flag

	played  *clients.Outcome
	traffic *measure.Traffic     // the row's own
	lastUS  int64                // the time of the row's last request
	effect  *measure.ClockEffect // nil: the clocks are correct, or there is no model
}

// track adds a model whose requests end. It is safe for concurrent use.
func (r *row) track(e *ending) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.endings = append(r.endings, e)
}

// replayed returns the row for a replay.
func (r *row) replayed() replay.Row {
	return replay.Row{Label: r.Label, Decider: r.decider, Another: r.another, Observe: r.observe}
}

// open prepares the rows of a plan without reacting clients: models, or scripts that are checked against their models.
func (g *game) open(ctx context.Context) error {
	for _, l := range g.Limiters {
		r, err := g.row(ctx, l)
		if err != nil {
			return err
		}
		model := func() replay.Decider { return replay.NewModel(l.NewModel(), g.Scenario.Start) }
		if l.Several != nil && l.Each != nil && limit.InFlight(l.Limits) {
			model = func() replay.Decider { return chainOfModels(l, g.Plan) }
		}
		if l.Ends != nil {
			model = func() replay.Decider {
				e := newEnding(l, g.Plan)
				r.track(e)
				return e
			}
		}
		switch {
		case r.script == nil:
			another := func() replay.Decider { return replay.Unreachable(model(), g.Scenario.Outages) }
			r.decider = another()
			// Gateways take turns over the requests of all keys, so their keys cannot be divided.
			if l.Gateways == nil && !g.sharesKeys() {
				r.another = another
			}
		case g.sample != nil && !l.Foreign():
			g.sampledRow(ctx, r, model)
		case l.NewModel == nil:
			if s, ends := r.script.(*endingScript); ends {
				r.track(&s.ending)
			}
			r.decider = replay.Unreachable(r.script, g.Scenario.Outages)
		default:
			both := &confirming{Decider: r.script, model: model(), alike: sameAnswer}
			r.decider = replay.Unreachable(both, g.Scenario.Outages)
		}
	}
	return nil
}

// row makes a limiter's row, and opens the limiter's script.
func (g *game) row(ctx context.Context, l *limiter.Limiter) (r *row, err error) {
	r = &row{Limiter: l}
	if r.script, err = Open(ctx, g.engine, g.Plan, l); err == nil && g.Watch != nil {
		r.observe, err = g.Watch(l.Label)
	}
	g.rows = append(g.rows, r)
	return r, err
}

// survey counts a script's keys at the time of the last request. It fails if keys that must exist are missing.
func (r *row) survey(ctx context.Context, lastUS int64) error {
	if r.script == nil || r.samples != nil {
		return nil
	}
	left, err := r.script.Left(ctx, lastUS)
	if err == nil {
		r.left = &left
	}
	if errors.Is(err, message.ErrInterrupted) {
		return nil
	}
	return err
}

// describeScript adds the cost of the script's decisions.
func (r *row) describeScript(all *result.Row) {
	if r.script == nil {
		return
	}
	calls := r.script.Calls()
	for _, s := range r.samples[min(1, len(r.samples)):] {
		more := s.script.Calls()
		calls.Total, calls.Decisions = calls.Total+more.Total, calls.Decisions+more.Decisions
		calls.Scripts += more.Scripts
	}
	all.Commands = each(calls.Total, calls.Decisions)
	all.RoundTrips = each(cmp.Or(calls.Scripts, calls.Decisions), calls.Decisions)
	if r.left == nil {
		return
	}
	all.KeysLeft, all.KeysWithoutTTL = &r.left.Keys, &r.left.WithoutTTL
	if r.left.Bytes > 0 { // 0 if the server does not report the memory of a key
		all.BytesPerKey = each(r.left.Bytes, r.left.Keys)
	}
}

// describe returns the row of the document.
func (r *row) describe(p *Plan, o *replay.Outcome, mine replay.RowOutcome) result.Row {
	all := result.Row{Algorithm: r.Label, Parameters: r.Parameters, Figures: mine.Figures}
	if programs := r.Programs(); programs != nil {
		all.ScriptSHA1 = script.SHA1(programs[0].Source)
	}
	if r.Several != nil && r.Each == nil { // it is unknown what one call of a user's script charged
		for i := range all.Limits {
			all.Limits[i].InVain = nil
		}
	}
	r.describeEnds(&all.Figures, p)
	r.describeScript(&all)
	if r.played != nil {
		r.describePlay(&all, p, o.Duration)
	}
	cost := max(1, o.LargestCost)
	if most := r.MostLetThrough(); most != nil && !r.wrongClock() {
		for _, us := range p.scales() {
			all.Bound = append(all.Bound, most(us, cost))
		}
	}
	if all.ClockEffect == nil && !r.wrongClock() {
		all.Guarantee = r.guarantee(p, cost)
	}
	return all
}

// wrongClock reports whether the server's clock was wrong at any request. For a rule with the client's time, a wrong
// clock of the client counts too. With a wrong clock the guarantee holds for other intervals than the figures.
func (r *row) wrongClock() bool {
	return r.played != nil && slices.ContainsFunc(r.played.Journal.Requests, func(q limit.Request) bool {
		return q.ServerSkewUS != 0 || r.ClientTime && q.ClientSkewUS != 0
	})
}

// describePlay adds the figures that exist only if clients react.
func (r *row) describePlay(all *result.Row, p *Plan, duration time.Duration) {
	if p.Scenario.Clients != nil {
		c := r.played.Clients
		if duration > 0 {
			c.GoodputPerSecond = float64(r.played.SucceededCost) / duration.Seconds()
		}
		if r.model != nil {
			c.RetryAfter = r.model.RetryAfter()
		}
		all.Clients = &c
	}
	all.ClockEffect = r.effect
	var trips int64
	switch {
	case r.sequence != nil:
		race := r.sequence.Figures()
		race.LockedOutUS = r.sequence.LockedOutUS(r.lastUS)
		keys, withoutTTL := r.sequence.Left(r.lastUS)
		all.Race, all.KeysLeft, all.KeysWithoutTTL, trips = &race, &keys, &withoutTTL, race.Commands
	case r.flag != nil:
		all.LocalFlag = &measure.LocalFlag{LocalRejects: r.flag.LocalRejects, WrongRejects: r.flag.WrongRejects}
		trips = all.Offered - r.flag.LocalRejects
	default:
		return
	}
	all.RoundTrips = each(trips, all.Offered)
}

// each returns n divided by of, or nil if of is 0.
func each(n, of int64) *float64 {
	if of <= 0 {
		return nil
	}
	share := float64(n) / float64(of)
	return &share
}
