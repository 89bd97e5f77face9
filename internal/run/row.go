package run

import (
	"context"
	"slices"
	"time"

	"ratelab/internal/clients"
	"ratelab/internal/limit"
	"ratelab/internal/measure"
	"ratelab/internal/redis"
	"ratelab/internal/replay"
	"ratelab/internal/result"
	"ratelab/internal/script"
	"ratelab/internal/sequence"
)

// row is one limiter on its way through a plan.
type row struct {
	*Limiter
	script  *Virtual // on a server; nil: the model decides
	decider replay.Decider
	another func() replay.Decider                         // as that of replay.Lane
	observe func([]limit.Request, []limit.Decision) error // nil: nobody watches

	// What follows is of a plan whose clients react: what a row is asked, and by whom, depends on what it answers.

	protocol clients.Protocol
	answers  clients.Server
	model    *clients.Limiter   // nil where the server itself decides
	sequence *sequence.Play     // of a sequence's row
	confirms *redis.Server      // takes the sequence's commands; nil: none does
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

// rows prepares those of a plan whose clients do not react.
func (b *servers) rows(ctx context.Context, p *Plan) ([]*row, error) {
	var all []*row
	for i, l := range p.Limiters {
		r := &row{Limiter: l}
		if len(b.all) == 0 {
			another := func() replay.Decider { return l.decider(p.Scenario) }
			r.decider = another()
			if l.Gateways == nil { // which take turns over the requests of all keys
				r.another = another
			}
			all = append(all, r)
			continue
		}
		err := b.script(ctx, r, Times{Start: p.Scenario.Start, Stop: b.hurry}, i)
		if err != nil {
			return nil, err
		}
		r.decider = r.script
		if l.NewModel != nil {
			r.decider = &confirming{Decider: r.script, model: replay.NewModel(l.NewModel(), p.Scenario.Start),
				alike: sameAnswer}
		}
		r.decider = replay.Unreachable(r.decider, p.Scenario.Outages)
		all = append(all, r)
	}
	return all, nil
}

// script prepares the script of the row with that number.
func (b *servers) script(ctx context.Context, r *row, times Times, number int) error {
	s, err := b.of(ctx, r.Limiter, number)
	if err == nil {
		r.script, err = r.On(ctx, s, times, b.ask.clock())
	}
	return err
}

// describe is the row of the document.
func (r *row) describe(p *Plan, o *replay.Outcome, mine replay.LaneOutcome) result.Row {
	all := result.Row{Algorithm: r.Label, Parameters: r.Parameters,
		Figures: measure.Figures{Result: mine.Result, MostAdmitted: mine.MostAdmitted, Fairness: mine.Fairness,
			RateDifference: mine.RateDifference, Shaping: mine.Shaping}}
	if r.Program != nil {
		all.ScriptSHA1 = script.SHA1(r.Program.Source)
	}
	r.script.complete(&all)
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
	if each := each(trips, all.Offered); each != nil {
		all.RoundTripsPerDecision = each
	}
}
