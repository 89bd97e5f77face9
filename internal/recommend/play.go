package recommend

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/measure"
	"ratelab/internal/message"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
)

// field is all candidates and what they did.
type field struct {
	policy, playedUnder limit.Policy
	candidates          []*candidate
	exact               algorithms.Rule
	usual               []*usualLimiter
	usually             map[string]float64 // what each candidate loses on the standard set; nil where that is played

	names          []string
	requests, keys int64
	// of the log that was played last
	firstUS, lastUS int64
	largestCost     int64

	progress func(int64)
}

// errInterrupted says what an interrupt leaves.
var errInterrupted = fmt.Errorf("%w: nothing is recommended", message.ErrInterrupted)

// usualLimiter does not guarantee the contract.
type usualLimiter struct {
	label    string
	limiter  algorithms.Rule
	peak     int64 // the most that it admitted in a window
	admitted int64
	beyond   int64 // of which an exact limiter would refuse so much
}

// note adds what it did in one traffic.
func (u *usualLimiter) note(r measure.Result) {
	u.peak = max(u.peak, r.Peak)
	u.admitted, u.beyond = u.admitted+r.AdmittedCost, u.beyond+r.Excess
}

// price is what a candidate did in one traffic, in its worst phase.
type price struct {
	lost         float64
	instructions float64 // of all decisions
	decisions    int64
	rejected     int64 // keys
	needlessly   int64
	decided      string
}

func newField(p, playedUnder limit.Policy) (*field, error) {
	f := &field{policy: p, playedUnder: playedUnder}
	var err error
	if f.candidates, err = candidatesOf(p, playedUnder); err != nil {
		return nil, err
	}
	if f.exact, err = algorithms.Exact(p.Contract).Under(playedUnder); err != nil {
		return nil, err
	}
	for _, c := range usual(p) {
		u := &usualLimiter{label: c.Label}
		if u.limiter, err = c.Under(playedUnder); err == nil {
			f.usual = append(f.usual, u)
		}
	}
	return f, nil
}

// phased is one limiter in one phase, on its way through one traffic. It is a limit.Model, around the limiter's model.
type phased struct {
	limit.Model
	phase     phase
	candidate *candidate    // nil of the exact limiter, and of a usual one
	usual     *usualLimiter // or nil

	keys   map[string]*keyState
	counts [3]int64   // decisions on the paths first, admitted, rejected
	xs     [3]float64 // sums of what their costs depend on
	digest uint64

	largestCost int64
}

// keyState is what a row knows of a key.
type keyState struct {
	rejected bool
	admitted int64   // cost
	untilUS  int64   // when its state is gone
	parts    []int64 // sub-windows in use
}

// rows are the exact limiter's first, then those of the candidates in each phase, then those of the usual ones.
func (f *field) rows() []*phased {
	var all []*phased
	add := func(in *algorithms.Rule) *phased {
		l := &phased{Model: in.NewModel(), keys: map[string]*keyState{}}
		all = append(all, l)
		return l
	}
	add(&f.exact)
	for _, c := range f.candidates {
		for _, p := range c.phases {
			l := add(&c.played)
			l.candidate, l.phase = c, p
		}
	}
	for _, u := range f.usual {
		add(&u.limiter).usual = u
	}
	return all
}

// play has all limiters decide a traffic, and notes what each candidate did in its worst phase.
func (f *field) play(ctx context.Context, s *scenario.Scenario, instead run.Instead) error {
	played := *s
	played.Expect, played.Clients = nil, slices.Clone(s.Clients)
	for i := range played.Clients {
		played.Clients[i].LocalFlag = false // it would be a limiter of its own
	}
	p := run.NewPlan(&played, instead)
	p.Policy, p.Brief = f.playedUnder, true
	if before := f.requests; f.progress != nil {
		p.Progress = func(n int64) { f.progress(before + n) }
	}
	rows := f.rows()
	for i, l := range rows {
		p.Limiters = append(p.Limiters, &limiter.Limiter{Rule: algorithms.Rule{Label: strconv.Itoa(i),
			NewModel: func() limit.Model { return l }}})
	}
	found, _, err := run.Play(ctx, &p, nil)
	switch {
	case err != nil:
		return err
	case found.Partial || ctx.Err() != nil:
		return errInterrupted
	}
	f.firstUS, f.lastUS = found.FirstUS, found.LastUS
	f.requests += found.Results[0].Offered
	f.names, f.keys = append(f.names, s.Name), f.keys+int64(len(rows[0].keys))
	for i, l := range rows {
		f.largestCost = max(f.largestCost, l.largestCost)
		if l.usual != nil {
			l.usual.note(found.Results[i].Result)
		}
	}
	for _, c := range f.candidates {
		worst := price{lost: -1}
		for _, l := range rows {
			if l.candidate != c {
				continue
			}
			if p := l.price(rows[0]); p.lost > worst.lost {
				worst = p
			}
		}
		c.prices = append(c.prices, worst)
	}
	return nil
}

// Decide lets the model decide, and notes what the price needs. It goes by the server's clock, as every candidate does:
// a client's is behind by the time that a message takes.
func (l *phased) Decide(serverUS, _ int64, name string, cost int64) limit.Decision {
	l.largestCost = max(l.largestCost, cost)
	nowUS := serverUS + l.phase.shiftUS
	key := l.keys[name]
	if key == nil {
		key = &keyState{}
		l.keys[name] = key
		if l.phase.primed {
			before := nowUS - l.phase.backUS
			key.untilUS = before + l.Model.Decide(before, before, name, 1).ResetAfterUS
		}
	}
	d := l.Model.Decide(nowUS, nowUS, name, cost)
	path := 0
	switch {
	case !d.Allowed():
		path = 2
	case nowUS < key.untilUS:
		path = 1
	}
	if d.Allowed() {
		key.admitted += cost
	}
	key.rejected = key.rejected || !d.Allowed()
	key.untilUS = nowUS + d.ResetAfterUS
	if c := l.candidate; c != nil {
		l.counts[path]++
		l.xs[path] += c.xAt(nowUS, key, d.Allowed())
		l.digest = l.digest*1099511628211 + uint64(path/2) + 1
	}
	return d
}

// xAt is what the work of a decision depends on: of one with parts, how many of the key's hold something.
func (c *candidate) xAt(nowUS int64, key *keyState, allowed bool) float64 {
	if c.parts == 0 {
		return c.x
	}
	number := nowUS * c.parts / c.played.Policy.WindowUS()
	for len(key.parts) > 0 && key.parts[0] < number-c.parts {
		key.parts = key.parts[1:]
	}
	x := max(1, len(key.parts))
	if allowed && (len(key.parts) == 0 || key.parts[len(key.parts)-1] < number) {
		key.parts = append(key.parts, number)
	}
	return float64(x)
}

// price compares a row with the exact one, key by key.
func (l *phased) price(exact *phased) price {
	p := price{decided: strconv.FormatUint(l.digest, 16)}
	var missing, total int64
	for name, key := range exact.keys {
		mine := l.keys[name]
		if mine == nil { // it came no more before the end
			mine = &keyState{}
		}
		total, missing = total+key.admitted, missing+max(0, key.admitted-mine.admitted)
		if mine.rejected {
			p.rejected++
			if !key.rejected {
				p.needlessly++
			}
		}
	}
	p.lost = float64(missing) / float64(max(1, total))
	for i, n := range l.counts {
		f := l.candidate.figures[i]
		p.instructions += f.A*float64(n) + f.B*l.xs[i]
		p.decisions += n
	}
	return p
}
