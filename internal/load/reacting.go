package load

import (
	"context"
	"fmt"
	"time"

	"ratelab/internal/clients"
	"ratelab/internal/limit"
	"ratelab/internal/replay"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
)

// CheckScenario is an error where more happens in a scenario than the wall clock can play.
func CheckScenario(s *scenario.Scenario) error {
	switch {
	case s.ServerClock != nil:
		return fmt.Errorf("%s: server_clock is played in virtual time only, since nobody sets a server's clock; leave "+
			"it to simulate, or leave that field out", s.Name)
	case s.Faulty():
		return fmt.Errorf("%s: managed and server_outage are played in virtual time only; leave it to simulate, or "+
			"leave those fields out", s.Name)
	}
	return nil
}

// setup is who plays a contest's scenario against a server.
func setup(c *run.Plan, s clients.Server) clients.Setup {
	return clients.Setup{Seed: c.Seed, Groups: c.Scenario.Clients, Protocol: clients.OneCall{}, Server: s}
}

// asksLive is for how long nobody looks whether something is due that no answer brings about.
const asksLive = 100 * time.Microsecond

// reacting is the source of what the clients send, from the beginning of the part on.
func (p *player) reacting() (source, error) {
	live, err := clients.NewLive(setup(p.contest, nil), p.part.Traffic(), p.part.Until.Microseconds())
	var requests []limit.Request
	due := func(now time.Duration) (due []limit.Request, next time.Duration, over bool, err error) {
		if now < 0 {
			return nil, 0, false, nil
		}
		messages, err := live.Advance(min(p.part.From+now, p.part.Until).Microseconds())
		requests = requests[:0]
		for _, m := range messages {
			m.Request.AtUS -= p.part.From.Microseconds()
			requests = append(requests, m.Request)
		}
		_, more := live.Next()
		return requests, now + asksLive, !more && !live.Waits() || now >= p.part.Length(), err
	}
	answered := func(number int, o Outcome) {
		live.Answered(int64(number), (o.Replied - p.origin).Microseconds(), o.Decision)
	}
	return source{due, answered}, err
}

// Virtual lets the clients of a contest play against an entry in virtual time, as far as the part's end, and gives what
// they sent.
func Virtual(ctx context.Context, c *run.Plan, e *run.Limiter, part *Part, script replay.Decider) (
	*run.Recorded, error) {
	var server clients.Server = run.OneByOne{Decider: script}
	if e.NewModel != nil {
		server = clients.NewLimiter(e.NewModel(), c.Scenario.Start)
	}
	live, err := clients.NewLive(setup(c, server), part.Traffic(), part.Until.Microseconds())
	if err == nil {
		err = live.Forward(ctx, part.Until.Microseconds())
	}
	if err != nil {
		return nil, err
	}
	return &run.Recorded{Journal: live.Outcome().Journal, Lasts: part.Until, Foreseen: true}, nil
}
