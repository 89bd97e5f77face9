package load

import (
	"fmt"
	"sort"
	"time"

	"ratelab/internal/clients"
	"ratelab/internal/limit"
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

// asksLive is for how long nobody looks whether something is due that no answer brings about.
const asksLive = 100 * time.Microsecond

// reacting is the source of what the clients send, from the beginning of the part on.
func (p *player) reacting() source {
	who := clients.Setup{Seed: p.plan.Seed, Groups: p.plan.Scenario.Clients, Protocol: clients.OneCall{}}
	all, untilUS := p.part.Requests, p.part.Until.Microseconds()
	n := sort.Search(len(all), func(i int) bool { return all[i].AtUS >= untilUS }) // nothing begins at the last instant
	live := clients.NewLive(who, all[:n], untilUS)
	due := func(now time.Duration) (due []limit.Request, next time.Duration, over bool, err error) {
		if now < 0 {
			return nil, 0, false, nil
		}
		due, err = live.Advance(min(p.part.From+now, p.part.Until).Microseconds())
		for i := range due {
			due[i].AtUS -= p.part.From.Microseconds()
		}
		return due, now + asksLive, live.Over() || now >= p.part.Length(), err
	}
	answered := func(number int, o Outcome) {
		live.Answered(int64(number), (o.Replied - p.origin).Microseconds(), o.Decision)
	}
	return source{due, answered}
}
