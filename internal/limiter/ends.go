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
	Program    *script.Program // the call at the end; a decision that is allowed means that the limiter knew the request
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

// held decodes the reply of a call at the end: 1, or 0 if the limiter no longer knew the request.
func held(r resp.Value) (limit.Decision, error) {
	if r.Kind != resp.Int || r.Int < 0 || r.Int > 1 {
		return limit.Decision{}, fmt.Errorf("reply %v: want 1 or 0", r)
	}
	return limit.Decision{Verdict: limit.Verdict(r.Int)}, nil
}
