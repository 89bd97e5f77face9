package run

import (
	"context"
	"fmt"
	"slices"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/measure"
	"ratelab/internal/message"
	"ratelab/internal/replay"
	"ratelab/internal/result"
	"ratelab/internal/script"
	"ratelab/internal/virtualtime"
	"ratelab/lua"
)

// several reports whether the plan has several limits on each request.
func (p *Plan) several() bool { return p.Limits != nil }

// sharesKeys reports whether a limit applies to a part of the key. Then requests of different keys may share a limit.
func (p *Plan) sharesKeys() bool {
	return slices.ContainsFunc(p.Limits, func(l limit.Limit) bool { return l.Part > 0 })
}

// checkEnds refuses what does not go with requests that end.
func (p *Plan) checkEnds(wrong *Problems) {
	takes := p.Scenario.HasTakes()
	if p.settles() && !takes {
		wrong.Bad(fmt.Errorf("%s: actual: needs takes:, which says when requests end", p.Scenario.Name))
	}
	for _, l := range p.Foreign() {
		switch {
		case limit.InFlight(p.Limits):
			wrong.Bad(fmt.Errorf("%s: several limits with one on requests in flight are for built-in limiters; want "+
				"one limit for a script", message.Path(l.File)))
		case l.Ends != nil && !takes:
			wrong.Bad(fmt.Errorf("%s: its binding has ends:, and the traffic of %s does not say how long requests "+
				"run; want takes: or --trace-takes", message.Path(l.File), p.Scenario.Name))
		case l.Ends == nil && p.inFlight():
			wrong.Bad(fmt.Errorf("%s: a limit on requests in flight needs ends: in its binding", message.Path(l.File)))
		}
	}
}

// checkParts refuses a scenario before its limiters are made. It reports whether they can be made.
func (p *Plan) checkParts(instead Instead, wrong *Problems) bool {
	switch {
	case p.several() && p.Scenario.HasActual():
		wrong.Bad(fmt.Errorf("%s: several limits do not work with costs that are known at the end; want one limit",
			p.Scenario.Name))
	case limit.InFlight(p.Limits) && !p.Scenario.HasTakes():
		wrong.Bad(fmt.Errorf("%s: a limit on requests in flight needs takes: in the scenario, or --trace-takes, which "+
			"say how long requests run", p.Scenario.Name))
	case p.inFlight() && instead.Contract != nil:
		wrong.Bad(fmt.Errorf("%s: a limit on requests in flight has no other contract; leave it out", p.Scenario.Name))
	default:
		return true
	}
	return false
}

// checkFlight refuses what does not go with requests that end.
func (p *Plan) checkFlight(wrong *Problems) {
	for _, part := range p.oneCallParts() {
		wrong.Bad(fmt.Errorf("%s: requests that end do not work with %s; leave one of them out", p.Scenario.Name, part))
	}
	if p.inFlight() && !p.Scenario.HasTakes() {
		wrong.Bad(fmt.Errorf("%s: a limit on requests in flight needs takes: in the scenario, or --trace-takes, which "+
			"say how long requests run", p.Scenario.Name))
	}
}

// checkSeveral refuses what does not go with several limits.
func (p *Plan) checkSeveral(wrong *Problems) {
	for _, part := range p.oneCallParts() {
		wrong.Bad(fmt.Errorf("%s: several limits do not work with %s; want one limit", p.Scenario.Name, part))
	}
}

// oneCallParts returns the parts of the scenario that work only with one limit and with requests that do not end.
func (p *Plan) oneCallParts() (parts []string) {
	if p.Scenario.Clients != nil {
		parts = append(parts, "clients that react")
	}
	if p.Scenario.ServerClock != nil {
		parts = append(parts, "steps of the server's clock")
	}
	if p.Scenario.Sequences != nil {
		parts = append(parts, "sequences of commands")
	}
	if p.Scenario.Managed != nil {
		parts = append(parts, "managed limits")
	}
	return parts
}

// severalRows returns the rows of a run with several limits. Each algorithm has a row that asks the limits in order.
// The exact algorithm also has rows with the other values of ask. An algorithm with a script for several limits has a
// row that asks them in one call.
func severalRows(limits []limit.Limit) (all []algorithms.Choice) {
	for _, c := range algorithms.Defaults() {
		if algorithms.IsFloor(c.Label) || c.Algorithm.Family == "shaper" {
			continue
		}
		all = append(all, c)
		ways := []string{}
		if algorithms.IsExact(c.Label, limits[0].Contract) {
			ways = append(ways, algorithms.AskReversed, algorithms.AskAll)
		}
		if slices.Contains(lua.Atomic(), c.Algorithm.Name) && !limit.InFlight(limits) {
			ways = append(ways, algorithms.AskAtomic)
		}
		for _, way := range ways {
			if named, err := algorithms.Choose(c.Label, map[string]string{"ask": way}); err == nil {
				all = append(all, named)
			}
		}
	}
	return all
}

// chain lets the scripts of several limits decide, one after the other. A limit's state depends only on its own calls.
// So the first limit decides the whole batch. The next limit then decides the requests of the batch that it is asked
// about. Each batch takes one round for each limit.
type chain struct {
	*limiter.Limiter
	scripts []Script         // by limit; nil for models
	steps   []replay.Decider // by limit, if requests end: the scripts, or the models
	undos   []Script         // by limit: they take back what another limit refused; nil: nothing is taken back
	startUS int64
	decided int64
	views   []limit.Request
	answers []limit.Decision
	at      []int // for each view, the index of its request
}

// Decide returns the first error of a script.
func (c *chain) Decide(ctx context.Context, requests []limit.Request, decisions []limit.Decision) error {
	for i := range decisions {
		decisions[i] = limit.Admitting()
	}
	if c.undos != nil || c.steps != nil {
		return c.oneByOne(ctx, requests, decisions)
	}
	for _, n := range c.Order() {
		c.views, c.at = c.views[:0], c.at[:0]
		for i, q := range requests {
			if c.Stops() && !decisions[i].Allowed() {
				continue
			}
			view, err := c.Limits[n].View(q)
			if err != nil {
				return &replay.InputError{Err: err}
			}
			c.views, c.at = append(c.views, view), append(c.at, i)
		}
		c.answers = slices.Grow(c.answers[:0], len(c.views))[:len(c.views)]
		if err := c.scripts[n].Decide(ctx, c.views, c.answers); err != nil {
			return err
		}
		for i, d := range c.answers {
			decisions[c.at[i]].Join(n, d)
		}
	}
	c.decided += int64(len(requests))
	return nil
}

// granting is a request that a limit granted.
type granting struct {
	limit int
	view  limit.Request
}

// takeBack undoes what a limit granted, because another limit refused the request. A slot is always given back.
func (c *chain) takeBack(ctx context.Context, g granting, answer []limit.Decision) error {
	switch {
	case c.undos != nil:
		return c.undos[g.limit].Decide(ctx, []limit.Request{g.view}, answer)
	case c.Limits[g.limit].Contract == limit.ByFlight:
		return c.steps[g.limit].(interface {
			cancel(context.Context, limit.Request) error
		}).cancel(ctx, g.view)
	}
	return nil
}

// oneByOne decides each request before the next one, because taking a charge back changes what the next one meets.
func (c *chain) oneByOne(ctx context.Context, requests []limit.Request, decisions []limit.Decision) error {
	answer := make([]limit.Decision, 1)
	for i, q := range requests {
		var granted []granting
		for _, n := range c.Order() {
			view, err := c.Limits[n].View(q)
			if err != nil {
				return &replay.InputError{Err: err}
			}
			number, step := int64(0), replay.Decider(nil)
			if c.steps != nil {
				step = c.steps[n]
			} else {
				number, step = c.scripts[n].Calls().Decisions, c.scripts[n]
			}
			if err := step.Decide(ctx, []limit.Request{view}, answer); err != nil {
				return err
			}
			decisions[i].Join(n, answer[0])
			if !decisions[i].Allowed() && c.Stops() {
				break
			}
			view.Ended = &limit.Ending{Number: number, StartUS: c.startUS + q.AtUS + q.ServerSkewUS,
				Reserved: view.Cost, Actual: view.Cost, Reply: answer[0].Reply}
			if answer[0].Allowed() {
				granted = append(granted, granting{n, view})
			}
		}
		for _, g := range granted {
			if decisions[i].Allowed() {
				break
			}
			if err := c.takeBack(ctx, g, answer); err != nil {
				return err
			}
			if c.undos != nil || c.Limits[g.limit].Contract == limit.ByFlight {
				decisions[i].Charged &^= 1 << g.limit
			}
		}
		c.decided++
	}
	return nil
}

// Left returns the sum of the keys that the limits' scripts have left.
func (c *chain) Left(ctx context.Context, atUS int64) (all virtualtime.Left, err error) {
	for _, s := range c.scripts {
		one, err := s.Left(ctx, atUS)
		if err != nil {
			return all, err
		}
		all.Keys, all.WithoutTTL, all.Bytes = all.Keys+one.Keys, all.WithoutTTL+one.WithoutTTL, all.Bytes+one.Bytes
		all.EndUS = max(all.EndUS, one.EndUS)
	}
	return all, nil
}

// Calls returns the sum of the calls of all limits. Its field Decisions counts requests.
func (c *chain) Calls() virtualtime.Calls {
	all := virtualtime.Calls{}
	for _, s := range slices.Concat(c.scripts, c.undos) {
		one := s.Calls()
		all.Total, all.Scripts = all.Total+one.Total, all.Scripts+one.Decisions
	}
	all.Decisions = c.decided
	return all
}

// Open opens the limiter's script, or the scripts of its limits. It returns nil if no script decides, but the limiter's
// model.
func Open(ctx context.Context, engine Engine, p *Plan, l *limiter.Limiter) (Script, error) {
	switch {
	case l.Ends != nil:
		s, err := engine.Open(ctx, p, l)
		if s == nil || err != nil {
			return nil, err
		}
		return withEnds(s, l, p)
	case l.Program != nil:
		return engine.Open(ctx, p, l)
	case l.Several == nil:
		return nil, nil
	}
	c := &chain{Limiter: l, startUS: p.Scenario.Start.UnixMicro()}
	ends := limit.InFlight(l.Limits)
	for _, one := range l.Each {
		s, err := engine.Open(ctx, p, one)
		if s == nil || err != nil {
			return nil, err
		}
		if one.Ends != nil {
			if s, err = withEnds(s, one, p); err != nil {
				return nil, err
			}
		}
		if c.scripts = append(c.scripts, s); ends {
			c.steps = append(c.steps, s)
		}
		if l.How != script.AskUndo {
			continue
		}
		undo, err := beside(s, one, one.Program.Undo)
		if err != nil {
			return nil, err
		}
		c.undos = append(c.undos, undo)
	}
	return c, nil
}

// chainOfModels lets the models of several limits decide, of which at least one is on requests in flight.
func chainOfModels(l *limiter.Limiter, p *Plan) *chain {
	c := &chain{Limiter: l, startUS: p.Scenario.Start.UnixMicro()}
	for _, one := range l.Each {
		if one.Ends != nil {
			c.steps = append(c.steps, newEnding(one, p))
		} else {
			c.steps = append(c.steps, replay.NewModel(one.NewModel(), p.Scenario.Start))
		}
	}
	return c
}

// describeScales adds the most admitted in intervals of each length to the run. It measures by the limit that is
// exceeded most: the limit with the largest x_limit in any row.
func (g *game) describeScales(run *result.Run, o *replay.Outcome) {
	if !g.several() {
		return
	}
	run.TimeScales = nil
	worst, most := 0, 0.0
	for i := range run.Results {
		for j, l := range run.Results[i].Limits {
			if l.XLimit > most {
				worst, most = j, l.XLimit
			}
		}
	}
	l := g.Limits[worst]
	lengths, cost := measure.TimeScales(l.WindowUS()), max(1, o.LargestCost)
	if l.CountsRequests {
		cost = 1
	}
	for i, r := range g.rows {
		row := &run.Results[i]
		if row.MostAdmitted = o.Rows[i].Most[worst]; row.MostAdmitted == nil {
			return
		}
		if r.Each == nil || r.Each[worst].MostLetThrough() == nil {
			continue
		}
		for _, us := range lengths {
			row.Bound = append(row.Bound, r.Each[worst].MostLetThrough()(us, cost))
		}
	}
	run.TimeScales = &result.TimeScales{Of: l.Name, IntervalUS: lengths, Limit: measure.Allowed(l.Policy, lengths)}
}

// guarantee returns the largest x_limit that the row can have under any traffic, or nil if it is unknown.
func (r *row) guarantee(p *Plan, largestCost int64) *float64 {
	if r.Several == nil {
		most := r.MostLetThrough()
		if most == nil {
			return nil
		}
		g := measure.Guarantee(p.Policy, func(us int64) int64 { return most(us, largestCost) })
		return &g
	}
	var largest float64
	for i, one := range r.Each {
		most, cost := one.MostLetThrough(), largestCost
		if most == nil {
			return nil
		}
		if r.Limits[i].CountsRequests {
			cost = 1
		}
		largest = max(largest, measure.Guarantee(r.Limits[i].Policy, func(us int64) int64 { return most(us, cost) }))
	}
	if r.Each == nil {
		return nil
	}
	return &largest
}
