package play

import (
	"context"
	"fmt"

	"ratelab/internal/clients"
	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/load"
	"ratelab/internal/replay"
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

// Setup is who plays a contest's scenario against a server.
func Setup(c *lineup.Contest, s clients.Server) clients.Setup {
	return clients.Setup{Seed: c.Seed, Groups: c.Scenario.Clients, Protocol: clients.OneCall{}, Server: s}
}

// forwardClients lets the clients play what comes before the stretch. Their retries that are under way then go on in
// it.
func (p *player) forwardClients(ctx context.Context, decider replay.Decider) error {
	var server clients.Server = lineup.OneByOne{Decider: decider}
	if p.entry.NewModel != nil {
		server = clients.NewLimiter(p.entry.NewModel(), p.contest.Scenario.Start)
	}
	live, err := clients.NewLive(Setup(p.contest, server), p.part.Traffic, p.part.Until.Microseconds())
	if err == nil {
		err = live.Forward(ctx, p.part.From.Microseconds())
	}
	if err != nil {
		return err
	}
	p.live = live
	p.past = p.live.Outcome().Journal
	if p.entry.NewModel == nil {
		p.count = int64(len(p.past.Requests))
		return nil
	}
	return p.decideBefore(ctx, decider, (&lineup.Recorded{Journal: p.past}).Requests())
}

// source are the clients' messages, from the beginning of the stretch on.
type source struct {
	*player
	route    func(string) string
	requests []limit.Request // as the clients sent them
	due      []limit.Request
	answers  []Answer
}

func (p *player) source() *source { return &source{player: p, route: p.entry.Route(uint64(p.count))} }

// Due gives the messages that are due.
func (s *source) Due(nowUS int64) (due []limit.Request, over bool, err error) {
	fromUS := s.part.From.Microseconds()
	messages, err := s.live.Advance(min(fromUS+nowUS, s.part.Until.Microseconds()))
	if err != nil {
		return nil, true, err
	}
	s.due = s.due[:0]
	for _, m := range messages {
		q := m.Request
		s.requests, s.answers = append(s.requests, q), append(s.answers, Answer{})
		q.AtUS -= fromUS
		q.Key = s.route(q.Key)
		s.due = append(s.due, q)
	}
	_, more := s.live.Next()
	return s.due, !more && !s.live.Waits() || nowUS >= s.part.Length().Microseconds(), nil
}

// Answered brings the clients a reply.
func (s *source) Answered(number int64, o load.Outcome) {
	a := s.answer(o)
	s.answers[number] = a
	s.live.Answered(number, a.RepliedUS, a.Decision)
}

// own is the row's part: what its clients sent, and what was decided before the stretch.
func (s *source) own() (*Part, *Record) {
	all := &lineup.Recorded{Lasts: s.part.Until, Foreseen: true}
	all.Journal.Requests = append(append(all.Journal.Requests, s.past.Requests...), s.requests...)
	part := &Part{Stretch: s.part.Stretch, Traffic: all, Requests: s.requests}
	record := NewRecord(part)
	_ = record.Observe(s.past.Requests, s.past.Decisions) // never fails
	return part, record
}

// Virtual lets the clients of a contest play against an entry in virtual time, as far as the part's end, and gives what
// they sent.
func Virtual(ctx context.Context, c *lineup.Contest, e *lineup.Entry, part *Part, script replay.Decider) (
	*lineup.Recorded, error) {
	var server clients.Server = lineup.OneByOne{Decider: script}
	if e.NewModel != nil {
		server = clients.NewLimiter(e.NewModel(), c.Scenario.Start)
	}
	live, err := clients.NewLive(Setup(c, server), part.Traffic, part.Until.Microseconds())
	if err == nil {
		err = live.Forward(ctx, part.Until.Microseconds())
	}
	if err != nil {
		return nil, err
	}
	return &lineup.Recorded{Journal: live.Outcome().Journal, Lasts: part.Until, Foreseen: true}, nil
}
