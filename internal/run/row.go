package run

import (
	"context"
	"errors"
	"slices"
	"time"

	"ratelab/internal/clients"
	"ratelab/internal/limit"
	"ratelab/internal/measure"
	"ratelab/internal/message"
	"ratelab/internal/replay"
	"ratelab/internal/result"
	"ratelab/internal/script"
	"ratelab/internal/sequence"
	"ratelab/internal/virtualtime"
)

// row is one limiter on its way through a plan.
type row struct {
	*Limiter
	script  Script            // on a server; nil: the model decides
	left    *virtualtime.Left // by the script; nil: not counted
	decider replay.Decider
	another func() replay.Decider                         // as that of replay.Lane
	observe func([]limit.Request, []limit.Decision) error // nil: nobody watches

	// What follows is of a plan whose clients react: what a row is asked, and by whom, depends on what it answers.

	protocol clients.Protocol
	answers  clients.Server
	model    *clients.Limiter   // nil where the server itself decides
	sequence *sequence.Play     // of a sequence's row
	flag     *clients.LocalFlag // of a row whose clients remember that they are over the limit

	played  *clients.Outcome
	traffic *measure.Traffic     // that reached this row
	lastUS  int64                // of the last of its requests
	effect  *measure.ClockEffect // nil: the clocks are right, or there is no model
}

// lane is the row as a replay takes it.
func (r *row) lane() replay.Lane {
	l := replay.Lane{Label: r.Label, Decider: r.decider, Counts: r.Counts, Another: r.another, Observe: r.observe}
	if l.Observe != nil {
		l.Another = nil
	}
	return l
}

// rows prepares those of a plan whose clients do not react: models, or scripts that answer as their models do.
func (a *Ask) rows(ctx context.Context, p *Plan) ([]*row, error) {
	var all []*row
	for i, l := range p.Limiters {
		r, err := a.row(ctx, p, l, i)
		if err != nil {
			return nil, err
		}
		model := func() replay.Decider { return replay.NewModel(l.NewModel(), p.Scenario.Start) }
		switch {
		case r.script == nil:
			another := func() replay.Decider { return replay.Unreachable(model(), p.Scenario.Outages) }
			r.decider = another()
			if l.Gateways == nil { // which take turns over the requests of all keys
				r.another = another
			}
		case l.NewModel == nil:
			r.decider = replay.Unreachable(r.script, p.Scenario.Outages)
		default:
			both := &confirming{Decider: r.script, model: model(), alike: sameAnswer}
			r.decider = replay.Unreachable(both, p.Scenario.Outages)
		}
		all = append(all, r)
	}
	return all, nil
}

// row is the limiter as the row of that number, with its script opened and with whoever watches it.
func (a *Ask) row(ctx context.Context, p *Plan, l *Limiter, number int) (r *row, err error) {
	r = &row{Limiter: l}
	if l.Program != nil {
		r.script, err = a.Server.Open(ctx, l, p.Scenario.Start, p.Scenario.ServerClock.Behind(), number)
	}
	if err == nil && a.Watch != nil {
		r.observe, err = a.Watch(p.Scenario.Name, l.Label)
	}
	return r, err
}

// survey counts what a script has left at the time of the last request, and fails where it is not all that ought to be
// there.
func (r *row) survey(ctx context.Context, lastUS int64) error {
	if r.script == nil {
		return nil
	}
	left, err := r.script.Left(ctx, lastUS)
	if err == nil {
		r.left = &left
	}
	if errors.Is(err, message.ErrStopped) {
		return nil
	}
	return err
}

// describeScript adds to the row what its script's decisions took.
func (r *row) describeScript(all *result.Row) {
	if r.script == nil {
		return
	}
	calls := r.script.Calls()
	all.RedisCallsPerDecision = each(calls.Total, calls.Decisions)
	all.RoundTripsPerDecision = each(calls.Decisions, calls.Decisions)
	all.RedisCallsPerAdmitted = each(calls.Admitting, calls.Admitted)
	all.RedisCallsPerRejected = each(calls.Rejecting, calls.Rejected)
	if r.left == nil {
		return
	}
	all.KeysLeft, all.KeysWithoutTTL = &r.left.Keys, &r.left.WithoutTTL
	if r.left.Bytes > 0 { // 0 where the server does not say how much memory a key takes
		all.BytesPerKey = each(r.left.Bytes, r.left.Keys)
	}
}

// describe is the row of the document.
func (r *row) describe(p *Plan, o *replay.Outcome, mine replay.LaneOutcome) result.Row {
	all := result.Row{Algorithm: r.Label, Parameters: r.Parameters,
		Figures: measure.Figures{Result: mine.Result, MostAdmitted: mine.MostAdmitted, Fairness: mine.Fairness,
			RateDifference: mine.RateDifference, Shaping: mine.Shaping}}
	if r.Program != nil {
		all.ScriptSHA1 = script.SHA1(r.Program.Source)
	}
	r.describeScript(&all)
	if r.played != nil {
		r.describePlay(&all, p, o.Duration)
	}
	if most := r.MostLetThrough(); most != nil && !r.wrongClock() {
		cost := max(1, o.LargestCost)
		for _, us := range measure.TimeScales(p.Policy.WindowUS()) {
			all.Bound = append(all.Bound, most(us, cost))
		}
		if all.ClockEffect == nil {
			promised := most(p.Policy.WindowUS(), cost)
			all.Promise = &promised
		}
	}
	return all
}

// wrongClock reports whether the clock that the rule goes by was off at some request, so that its bound speaks of other
// intervals than the figures do.
func (r *row) wrongClock() bool {
	return r.played != nil && slices.ContainsFunc(r.played.Journal.Requests, func(q limit.Request) bool {
		return q.ServerSkewUS != 0 || r.ClientTime && q.ClientSkewUS != 0
	})
}

// describePlay adds to the row what only clients that react bring about.
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
	all.RoundTripsPerDecision = each(trips, all.Offered)
}
