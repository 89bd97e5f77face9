package limiter

import (
	"fmt"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/script"
	"ratelab/lua"
)

// Several says how a limiter asks several limits about one request.
type Several struct {
	Limits []limit.Limit
	How    string     // one of algorithms.AskInOrder and the like
	Each   []*Limiter // one for each limit, with its own keys; nil if one call of a user's script asks them all
}

// Order returns the indices of the limits in the order in which they are asked.
func (s *Several) Order() []int {
	order := make([]int, len(s.Limits))
	for i := range order {
		if order[i] = i; s.How == algorithms.AskReversed {
			order[i] = len(order) - 1 - i
		}
	}
	return order
}

// Stops reports whether a refusal means that the limits after it are not asked.
func (s *Several) Stops() bool {
	return s.How != algorithms.AskAll && s.How != algorithms.AskAtomic
}

// slotsAmongOthers is the limiter of a limit on requests in flight that is one of several limits.
const slotsAmongOthers = "leases:ttl=1m:renew=20s"

// OfLimits returns an algorithm's limiter for several limits. It returns the errors of OfAlgorithm, and an error for an
// algorithm that cannot decide by several limits.
func OfLimits(c algorithms.Choice, limits []limit.Limit) (*Limiter, error) {
	how, each, err := c.Asks()
	if err != nil {
		return nil, err
	}
	slots, err := algorithms.Parse(slotsAmongOthers)
	if err == nil && how == algorithms.AskAtomic && limit.InFlight(limits) {
		err = fmt.Errorf("%s: ask=atomic does not work with a limit on requests in flight", c.Label)
	}
	if err != nil {
		return nil, err
	}
	l := &Limiter{Rule: algorithms.Rule{Label: c.Label, Algorithm: c.Algorithm,
		Parameters: map[string]string{"ask": how}, Policy: limits[0].Policy},
		Several: &Several{Limits: limits, How: how}}
	for _, one := range limits {
		of, choice := OfAlgorithm, each
		if one.Contract == limit.ByFlight {
			of, choice = OfSlots, slots
		}
		mine, err := of(choice, one.Policy)
		if err != nil {
			return nil, fmt.Errorf("limit %s: %w", one.Name, err)
		}
		if mine.MostDeparting != nil {
			return nil, fmt.Errorf("%s: delays requests, and several limits are asked at one instant; leave it out",
				c.Label)
		}
		l.Each = append(l.Each, mine.Labelled(c.Label+":"+one.Name, c.Label+":"+one.Name+":"))
		l.TickUS, l.Aligned = max(l.TickUS, mine.TickUS), l.Aligned || mine.Aligned
	}
	l.NewModel = l.newModel
	if how == algorithms.AskAtomic {
		l.Program, err = atomic(c, l)
	}
	return l, err
}

// atomic returns the program of a limiter that asks all limits in one script.
func atomic(c algorithms.Choice, l *Limiter) (*script.Program, error) {
	source, err := lua.AtomicSource(c.Algorithm.Name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; ask=atomic is for %s", c.Label, err, message.List(lua.Atomic()))
	}
	call := script.Call{Args: []script.Template{l.Each[0].Program.Decide.Args[0]}} // the time
	for i, one := range l.Limits {
		call.Keys = append(call.Keys, script.PartIn(c.Label+":"+one.Name+":", one.Part))
		args := l.Each[i].Program.Decide.Args[1:]
		if one.CountsRequests {
			args = append([]script.Template{script.Literal("1")}, args[1:]...)
		}
		call.Args = append(call.Args, args...)
	}
	return &script.Program{Label: c.Label, Source: source, Decide: call, TellsRetry: true,
		Decode: script.ContractOfSeveral(len(l.Limits))}, nil
}

func (l *Limiter) newModel() limit.Model {
	m := &several{Several: l.Several, order: l.Order()}
	for _, one := range l.Each {
		m.models = append(m.models, one.NewModel())
	}
	return m
}

// several is the model of a limiter with several limits.
type several struct {
	*Several
	order  []int
	models []limit.Model
}

// Decide requires a key that has the parts of all limits.
func (m *several) Decide(serverUS, clientUS int64, key string, cost int64) limit.Decision {
	if m.How == algorithms.AskAtomic {
		forks := m.Fork(key).(*several)
		if d := forks.ask(serverUS, clientUS, key, cost); !d.Allowed() {
			d.Charged = 0
			return d
		}
	}
	return m.ask(serverUS, clientUS, key, cost)
}

// ask asks the limits' models in order, and joins their decisions.
func (m *several) ask(serverUS, clientUS int64, key string, cost int64) limit.Decision {
	d := limit.Admitting()
	for _, i := range m.order {
		view, _ := m.Limits[i].View(limit.Request{Key: key, Cost: cost}) // the caller has checked the key
		d.Join(i, m.models[i].Decide(serverUS, clientUS, view.Key, view.Cost))
		if !d.Allowed() && m.Stops() {
			break
		}
	}
	return d
}

// Fork returns a model with a copy of the state of key: for each limit, the state of the limit's part of key.
func (m *several) Fork(key string) limit.Model {
	f := &several{Several: m.Several, order: m.order}
	for i, one := range m.models {
		view, _ := m.Limits[i].View(limit.Request{Key: key})
		f.models = append(f.models, one.Fork(view.Key))
	}
	return f
}
