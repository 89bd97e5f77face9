package limiter

import (
	"fmt"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/resp"
	"ratelab/internal/script"
	"ratelab/lua"
)

// Ends is how a limiter is told when the requests end that it admitted.
type Ends struct {
	Reserve    int64           // see algorithms.Tokens
	Program    *script.Program // the call at the end; an allowed decision means that the limiter knew the request
	Renew      *script.Program // the call that renews; nil: there is none
	RenewUS    int64           // how often an open request calls Renew
	Twice      bool            // each end is called twice, as a client that retries does
	NewTracker func() limit.Tracker
}

// Reserved returns what a start charges for a request.
func (e *Ends) Reserved(q *limit.Request) int64 {
	if e.Reserve == algorithms.NoReserve {
		return 0
	}
	return q.Cost + e.Reserve
}

// OfTokens returns an algorithm's limiter for requests whose cost is known at their end. A rule that cannot be settled
// needs settle=no.
func OfTokens(c algorithms.Choice, p limit.Policy) (*Limiter, error) {
	if plain, never := c.WithoutSettle(); never || algorithms.IsFloor(c.Label) {
		l, err := OfAlgorithm(plain, p)
		if err == nil {
			l.Parameters["settle"] = "no"
			l.MostAdmitted, l.MostDeparting = nil, nil // a request may cost more than it is charged
		}
		return l, err
	}
	t, err := c.TokensUnder(p)
	if err != nil {
		return nil, err
	}
	source, err := lua.Source(t.Name)
	if err != nil {
		return nil, err
	}
	key := []script.Template{script.KeyIn(t.Label + ":")}
	start := &script.Program{Label: t.Label, Source: source, Decode: script.Contract, TellsRetry: true,
		Decide: script.Call{Keys: key, Args: []script.Template{script.Literal(""), script.Cost()}}}
	end := &script.Program{Label: t.Label, Source: source, Decode: held,
		Decide: script.Call{Keys: key, Args: []script.Template{script.Literal(""), script.Actual()}}}
	for _, a := range t.Args {
		start.Decide.Args = append(start.Decide.Args, script.Literal(a))
		end.Decide.Args = append(end.Decide.Args, script.Literal(a))
	}
	if t.Name == "log-tokens" {
		start.Decide.Args = append(start.Decide.Args, script.ID())
		end.Decide.Args = append(end.Decide.Args, script.ID())
	}
	end.Decide.Args = append(end.Decide.Args, script.Cost(), script.StartUS())
	rule := algorithms.Rule{Label: t.Label, Algorithm: c.Algorithm, Parameters: t.Parameters, Policy: p}
	rule.NewModel = func() limit.Model { return t.NewTracker() }
	return &Limiter{Rule: rule, Program: start, TickUS: 1, Aligned: true,
		Ends: &Ends{Reserve: t.Reserve, Program: end, NewTracker: t.NewTracker}}, nil
}

// OfSlots returns an algorithm's limiter for a limit on requests in flight.
func OfSlots(c algorithms.Choice, p limit.Policy) (*Limiter, error) {
	s, err := c.SlotsUnder(p)
	if err != nil {
		return nil, err
	}
	source, err := lua.Source(s.Name)
	if err != nil {
		return nil, err
	}
	call := func(decode func(resp.Value) (limit.Decision, error), last ...script.Template) *script.Program {
		p := &script.Program{Label: c.Label, Source: source, Decode: decode, TellsRetry: true}
		p.Decide = script.Call{Keys: []script.Template{script.KeyIn(c.Label + ":")},
			Args: []script.Template{script.Literal(""), script.Cost()}}
		for _, a := range s.Args {
			p.Decide.Args = append(p.Decide.Args, script.Literal(a))
		}
		if s.HasID {
			p.Decide.Args = append(p.Decide.Args, script.ID())
		}
		p.Decide.Args = append(p.Decide.Args, last...)
		return p
	}
	ends := &Ends{Program: call(held, script.Literal("release")), RenewUS: s.RenewUS, NewTracker: s.NewTracker}
	if s.RenewUS > 0 {
		ends.Renew = call(held, script.Literal("renew"))
	}
	rule := algorithms.Rule{Label: c.Label, Algorithm: c.Algorithm, Parameters: s.Parameters, Policy: p}
	rule.NewModel = func() limit.Model { return s.NewTracker() }
	return &Limiter{Rule: rule, Program: call(script.Contract), TickUS: 1, Ends: ends}, nil
}

// held decodes the reply of a call at the end: 1, or 0 if the limiter no longer knew the request.
func held(r resp.Value) (limit.Decision, error) {
	if r.Kind != resp.Int || r.Int < 0 || r.Int > 1 {
		return limit.Decision{}, fmt.Errorf("reply %v: want 1 or 0", r)
	}
	return limit.Decision{Verdict: limit.Verdict(r.Int)}, nil
}
