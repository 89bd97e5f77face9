package simulate

import (
	"ratelab/internal/clients"
	"ratelab/internal/lineup"
	"ratelab/internal/localflag"
	"ratelab/internal/measure"
	"ratelab/internal/replay"
	"ratelab/internal/sequence"
)

// contender is a lane where clients react: what it is asked, and by whom, depends on what it answers.
type contender struct {
	*lane
	protocol clients.Protocol
	server   clients.Server
	watch    *lineup.Watch    // over the server that confirms; nil where there is none
	model    *clients.Limiter // nil where the server itself decides
	script   replay.Decider   // on the server; nil where there is none
	sequence *sequence.Play   // of a sequence's row
	flag     *localflag.Flag  // of a row whose clients remember that they are over the limit

	played *clients.Outcome
	lastUS int64                // of the last of its requests
	effect *measure.ClockEffect // nil: the clocks are right, or there is no model
}

func (j *Job) setup(p *contest, protocol clients.Protocol, server clients.Server) clients.Setup {
	return clients.Setup{
		Seed: p.Seed, Groups: p.Scenario.Clients, ServerClock: p.Scenario.ServerClock,
		Protocol: protocol, Server: server, Stop: j.Stop,
	}
}
