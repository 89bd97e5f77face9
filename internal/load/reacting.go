package load

import (
	"fmt"
	"sort"
	"time"

	"ratelab/internal/clients"
	"ratelab/internal/limit"
	"ratelab/internal/scenario"
)

// CheckScenario returns an error if the scenario has features that exist only in virtual time.
func CheckScenario(s *scenario.Scenario) error {
	switch {
	case s.RequestsEnd():
		return fmt.Errorf("%s: requests that end are played only in virtual time; use simulate", s.Name)
	case s.Limits != nil:
		return fmt.Errorf("%s: several limits on a request work only in virtual time; use simulate, or run bench once "+
			"for each limit", s.Name)
	case s.ServerClock != nil:
		return fmt.Errorf("%s: server_clock works only in virtual time, because bench cannot set a server's clock; "+
			"use simulate, or remove the field", s.Name)
	case s.Faulty():
		return fmt.Errorf("%s: managed and server_outage work only in virtual time; use simulate, or remove these "+
			"fields", s.Name)
	}
	return nil
}

// asksLive is how often the clients are asked for requests that are due for another reason than an answer.
const asksLive = 100 * time.Microsecond

// reacting returns the source of the reactive clients' requests, from the beginning of the part on.
func (p *player) reacting() source {
	who := clients.Setup{Seed: p.plan.Seed, Groups: p.plan.Scenario.Clients, Protocol: clients.OneCall{}}
	all, untilUS := p.part.Requests, p.part.Until.Microseconds()
	n := sort.Search(len(all), func(i int) bool { return all[i].AtUS >= untilUS }) // none at the last instant
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
