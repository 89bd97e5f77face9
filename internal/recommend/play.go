package recommend

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/measure"
	"ratelab/internal/message"
	"ratelab/internal/replay"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
	"ratelab/internal/traffic"
)

// field has all candidates with their results.
type field struct {
	policy, playedUnder limit.Policy
	candidates          []*candidate
	exact               algorithms.Rule
	usual               []*usualLimiter
	usually             map[string]float64 // what each candidate loses on the standard set; nil if that set is played

	names          []string
	requests, keys int64
	// of the log that was played last
	firstUS, lastUS int64
	largestCost     int64
	// the number of parts of a log's keys, which are played one after another because each key takes memory in each row
	parts  uint64
	asItIs bool // the standard set is played only at its own pace, as a log is

	progress func(int64)
}

// keysAtOnce is how many keys of a log are played together.
const keysAtOnce = 100_000

// errInterrupted is the error after an interrupt.
var errInterrupted = fmt.Errorf("%w: nothing is recommended", message.ErrInterrupted)

// usualLimiter is a usual limiter with its results. It does not guarantee the contract.
type usualLimiter struct {
	label    string
	limiter  algorithms.Rule
	peak     int64 // the most that it admitted in a window
	admitted int64
	beyond   int64 // the part of admitted that an exact limiter would reject
}

// note adds the result of one traffic.
func (u *usualLimiter) note(r measure.Result) {
	u.peak = max(u.peak, r.Peak)
	u.admitted, u.beyond = u.admitted+r.AdmittedCost, u.beyond+r.Excess
}

// price has the results of a candidate in one traffic, in its worst phase.
type price struct {
	lost float64
	// cost that the exact limiter admitted and this one did not; total is all that the exact limiter admitted
	missing      int64
	total        int64
	instructions float64 // sum over all decisions
	decisions    int64
	rejected     int64 // the number of keys with a rejection
	needlessly   int64
	most         float64 // the x of the costs, of the key that held the most
	decided      string
}

func newField(p, playedUnder limit.Policy, largestCost int64) (*field, error) {
	f := &field{policy: p, playedUnder: playedUnder}
	var err error
	if f.candidates, err = candidatesOf(p, playedUnder, largestCost); err != nil {
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

// phased is one limiter in one phase during one traffic. It is a limit.Model that wraps the limiter's model.
type phased struct {
	limit.Model
	phase     phase
	candidate *candidate    // nil for the exact limiter and for a usual one
	exact     *phased       // the exact limiter to which a candidate is compared
	usual     *usualLimiter // or nil

	keys   map[string]*keyState
	counts [3]int64   // decisions by path: first, admitted, rejected
	xs     [3]float64 // sums of x by path
	digest uint64

	largestCost int64
	most        int // entries, or sub-windows in use, of the key that held the most
}

// keyState is the state of a key in a row.
type keyState struct {
	rejected bool
	admitted int64   // the admitted cost
	untilUS  int64   // when the key's state expires
	parts    []int64 // sub-windows in use, or times of entries
}

// rows returns the exact limiter first, then the candidates in each phase, then the usual limiters. An exact limiter
// with the same primed phase precedes each primed candidate.
func (f *field) rows() []*phased {
	var all []*phased
	add := func(in *algorithms.Rule) *phased {
		l := &phased{Model: in.NewModel(), keys: map[string]*keyState{}}
		all = append(all, l)
		return l
	}
	base := add(&f.exact)
	for _, c := range f.candidates {
		for _, p := range c.phases {
			exact := base
			if p.primed {
				exact = add(&f.exact)
				exact.phase = p
			}
			l := add(&c.played)
			l.candidate, l.phase, l.exact = c, p, exact
		}
	}
	for _, u := range f.usual {
		add(&u.limiter).usual = u
	}
	return all
}

// paces are the percentages by which the times of a traffic are multiplied if it is not recorded, because users'
// traffic has another period.
var paces = []int64{100, 95, 105}

// play lets all limiters decide a traffic. It records the results of each candidate in its worst phase, with the
// largest loss of all paces.
func (f *field) play(ctx context.Context, s *scenario.Scenario, instead run.Instead) error {
	for _, pace := range paces {
		if pace != 100 && (f.asItIs || s.Recorded()) {
			break
		}
		var rows []*candidate // the candidates of the prices
		var prices []price
		for part := range max(1, f.parts) {
			this := s
			if f.parts > 1 {
				this = s.Part(part, f.parts)
			}
			played, err := f.playAt(ctx, this, instead, pace)
			if err != nil {
				return err
			}
			for i, l := range played {
				if part == 0 {
					rows, prices = append(rows, l.candidate), append(prices, price{})
				}
				prices[i].add(l)
			}
		}
		for _, c := range f.candidates {
			worst := price{lost: -1}
			for i, p := range prices {
				if rows[i] == c && p.lost > worst.lost {
					worst = p
				}
			}
			if pace == 100 {
				c.prices = append(c.prices, worst)
			}
			last := &c.prices[len(c.prices)-1]
			last.lost = max(last.lost, worst.lost)
		}
	}
	f.names = append(f.names, s.Name)
	return nil
}

// playAt lets all limiters decide a traffic once, with its times multiplied by percent/100.
func (f *field) playAt(ctx context.Context, s *scenario.Scenario, instead run.Instead, percent int64) ([]*phased,
	error) {
	played := *s
	played.Expect, played.Clients = nil, slices.Clone(s.Clients)
	for i := range played.Clients {
		played.Clients[i].LocalFlag = false // a local flag would be another limiter
	}
	p := run.NewPlan(&played, instead)
	p.Policy, p.Brief = f.playedUnder, true
	if percent != 100 {
		var err error
		if p.Stream, err = stretched(p.Stream, percent); err != nil {
			return nil, err
		}
	}
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
		return nil, err
	case found.Partial || ctx.Err() != nil:
		return nil, errInterrupted
	case percent != 100:
		return rows, nil
	}
	f.firstUS, f.lastUS = found.FirstUS, found.LastUS
	f.requests, f.keys = f.requests+found.Results[0].Offered, f.keys+int64(len(rows[0].keys))
	for i, l := range rows {
		f.largestCost = max(f.largestCost, l.largestCost)
		if l.usual != nil {
			l.usual.note(found.Results[i].Result)
		}
	}
	return rows, nil
}

// stretched returns a stream whose times are multiplied by percent/100.
func stretched(s *traffic.Stream, percent int64) (*traffic.Stream, error) {
	var all []limit.Request
	for q, err := range s.Requests() {
		if err != nil {
			return nil, &replay.InputError{Err: err}
		}
		q.AtUS = q.AtUS * percent / 100
		all = append(all, q)
	}
	lasts, _ := s.Duration()
	return traffic.List(all, lasts*time.Duration(percent)/100, true), nil
}

// Decide lets the model decide. It records the path and the state of the key, from which the price is computed. It uses
// the server's clock for every candidate, because a client's clock is behind by the time that a message takes.
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
		l.xs[path] += float64(l.inUse(nowUS, key, d.Allowed()))
		l.digest = l.digest*1099511628211 + uint64(path/2) + 1
	}
	return d
}

// inUse returns the x of a decision's costs: for a limiter with parts, how many of the key's parts are in use; for a
// log, the number of its entries.
func (l *phased) inUse(nowUS int64, key *keyState, allowed bool) int {
	c := l.candidate
	number, gone := nowUS, nowUS-c.played.Policy.WindowUS()
	switch {
	case c.parts > 0:
		number = nowUS * c.parts / c.played.Policy.WindowUS()
		gone = number - c.parts - 1
	case !c.limiter.Algorithm.Traits.Entries:
		return 0
	}
	for len(key.parts) > 0 && key.parts[0] <= gone {
		key.parts = key.parts[1:]
	}
	x := max(1, len(key.parts))
	if last := len(key.parts) - 1; allowed && (c.parts == 0 || last < 0 || key.parts[last] < number) {
		key.parts = append(key.parts, number)
	}
	l.most = max(l.most, len(key.parts))
	return x
}

// add compares a row with the exact limiter, key by key.
func (p *price) add(l *phased) {
	if l.candidate == nil {
		return
	}
	p.decided, p.most = p.decided+strconv.FormatUint(l.digest, 16), max(p.most, float64(l.most))
	for name, key := range l.exact.keys {
		mine := l.keys[name]
		if mine == nil { // the key had no more requests before the end
			mine = &keyState{}
		}
		p.total, p.missing = p.total+key.admitted, p.missing+max(0, key.admitted-mine.admitted)
		if mine.rejected {
			p.rejected++
			if !key.rejected {
				p.needlessly++
			}
		}
	}
	p.lost = float64(p.missing) / float64(max(1, p.total))
	for i, n := range l.counts {
		f := l.candidate.figures[i]
		p.instructions += f.A*float64(n) + f.B*l.xs[i]
		p.decisions += n
	}
}
