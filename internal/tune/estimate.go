package tune

import (
	"iter"
	"math"
)

// Estimate is a share of all keys, users or requests, that a sample says.
type Estimate struct {
	Share float64 `json:"share" jsonschema:"maximum=1"`
	// two standard errors, as a share; null: too few sampled keys, under a hundred with a refusal or, of users, under a
	// hundred without one
	PlusMinus *float64 `json:"plus_minus" jsonschema:"nullable"`
	// of the keys that are drawn, those with a refusal
	KeysRefused int64 `json:"sampled_keys_refused"`
}

// enoughKeys is how many sampled keys need a refusal for an interval to be said.
const enoughKeys = 100

// covers reports whether the wish lies within the interval, and not all of the interval keeps it.
func (e *Estimate) covers(wish float64) bool {
	return e.PlusMinus != nil && e.Share-*e.PlusMinus <= wish && wish < e.Share+*e.PlusMinus
}

// ratio is what is known of a share: what is refused of what was asked for, in requests, users or cost.
//
// The heavy keys are counted. Of the rest, M keys that ask for N in all, m are drawn; the i-th asks for nᵢ and is
// refused xᵢ. With p = Σx/Σn the rest is refused N·p, with the standard error
//
//	N/Σn · √((1 − m/M) · m/(m−1) · Σ(xᵢ − p·nᵢ)²)
//
// which is the ratio estimator of one cluster sampled without replacement (W. G. Cochran, "Sampling Techniques", 3rd
// ed., 1977, section 2.11 and chapter 6): M and N are known, since all keys are counted, and m is taken as given. Of
// users in one log nᵢ is 1, and it is the error of a proportion.
type ratio struct {
	refused, heavy int64 // of the heavy keys: what is refused, and all that they ask for
	rest, keys     int64 // all that the rest asks for, and how many keys that are
	drawn          iter.Seq2[float64, float64]
	users          bool // it is of users
}

// estimate is the share, and what is refused of the whole.
func (r *ratio) estimate() (e Estimate, refused float64) {
	var m, without int64
	var x, n float64
	for part, whole := range r.drawn {
		m++
		x, n = x+part, n+whole
		if part > 0 {
			e.KeysRefused++
		}
		if part < whole {
			without++
		}
	}
	var zero float64
	all := float64(r.heavy + r.rest)
	if m == r.keys { // nobody is left out
		e.PlusMinus, refused = &zero, float64(r.refused)+x
		if all > 0 {
			e.Share = refused / all
		}
		return e, refused
	}
	refused = float64(r.refused) + float64(r.rest)*x/n
	e.Share = refused / all
	if e.KeysRefused >= enoughKeys && (!r.users || without >= enoughKeys) {
		two := 2 * r.standardError(x/n, n, m) / all
		e.PlusMinus = &two
	}
	return e, refused
}

// standardError is that of what is refused of the rest, of which m keys that ask for n are refused the share p.
func (r *ratio) standardError(p, n float64, m int64) float64 {
	squares := 0.0
	for part, whole := range r.drawn {
		squares += (part - p*whole) * (part - p*whole)
	}
	return float64(r.rest) / n * math.Sqrt((1-float64(m)/float64(r.keys))*float64(m)/float64(m-1)*squares)
}

// refusals is what one key that is drawn is refused in one part.
type refusals struct {
	users    int32 // in how many stretches
	requests int32
	cost     int64
}

// Sampled is what a sample says of the figures beside it, and how exact that is.
type Sampled struct {
	Users    Estimate `json:"users"`    // share of good users refused
	Requests Estimate `json:"requests"` // share of their requests refused
	Cost     Estimate `json:"cost"`     // share of everybody's cost refused
	// what worst_second is: at least so much, where keys were left out
	WorstSecond string `json:"worst_second" jsonschema:"enum=exact,enum=at least"`
}

// What a maximum is.
const (
	exactly = "exact"
	atLeast = "at least"
)

// estimated is the figures of all keys: f is those of the keys that are played, of has what each that is drawn is
// refused.
func (a *tally) estimated(p part, f Figures, of []refusals, isGood func(int64) bool) Figures {
	heavy, light := &a.parts[p].heavy, &a.parts[p].light
	// each pairs what a drawn key is refused with what it asks for
	each := func(good bool, figure func(*refusals, *portion) (int64, int64)) iter.Seq2[float64, float64] {
		return func(yield func(float64, float64) bool) {
			for place := range a.strata.light.all() {
				whole := &a.shares[p][place]
				if whole.requests == 0 || good && !isGood(place) {
					continue
				}
				x, n := figure(&of[place], whole)
				if !yield(float64(x), float64(n)) {
					return
				}
			}
		}
	}
	users := ratio{refused: f.UsersRefused, heavy: heavy.users, rest: light.users, keys: light.good, users: true,
		drawn: each(true, func(r *refusals, w *portion) (int64, int64) { return int64(r.users), int64(w.users) })}
	requests := ratio{refused: f.RequestsRefused, heavy: heavy.requests, rest: light.requests, keys: light.good,
		drawn: each(true, func(r *refusals, w *portion) (int64, int64) {
			return int64(r.requests), int64(w.requests)
		})}
	cost := ratio{refused: f.OfferedCost - f.AdmittedCost, heavy: heavy.cost, rest: light.cost, keys: light.keys,
		drawn: each(false, func(r *refusals, w *portion) (int64, int64) { return r.cost, w.cost })}
	for place := range a.strata.light.all() { // what is left is that of the heavy keys
		r := &of[place]
		cost.refused -= r.cost
		if isGood(place) {
			requests.refused -= int64(r.requests)
			users.refused -= int64(r.users)
		}
	}
	all := Figures{Users: heavy.users + light.users, Requests: heavy.requests + light.requests,
		OfferedCost: heavy.cost + light.cost, WorstSecond: f.WorstSecond,
		Sampled: &Sampled{WorstSecond: exactly}}
	if !a.strata.whole() {
		all.Sampled.WorstSecond = atLeast
	}
	whole := func(r *ratio, e *Estimate) (n int64) {
		var refused float64
		*e, refused = r.estimate()
		return int64(math.Round(refused))
	}
	all.UsersRefused = whole(&users, &all.Sampled.Users)
	all.RequestsRefused = whole(&requests, &all.Sampled.Requests)
	all.AdmittedCost = all.OfferedCost - whole(&cost, &all.Sampled.Cost)
	return all
}

// proportion is the share of users whom a setting on a curve refuses: so many of those of heavy keys, and of those that
// are drawn. Of several stretches a curve does not say whose they are: then it is reckoned with the worst, that whoever
// is refused is so in each of them, which makes the interval too wide.
func (a *tally) proportion(p part, heavyRefused, drawnRefused int64) Estimate {
	heavy, light, d := &a.parts[p].heavy, &a.parts[p].light, &a.drawn[p]
	all, stretches := float64(heavy.users+light.users), max(d.stretches, 1)
	var zero float64
	e := Estimate{PlusMinus: &zero, KeysRefused: (drawnRefused + stretches - 1) / stretches}
	if all == 0 {
		return e
	}
	if d.good == light.good {
		e.Share = float64(heavyRefused+drawnRefused) / all
		return e
	}
	users := float64(d.users)
	refused := float64(drawnRefused) / users
	e.Share = (float64(heavyRefused) + float64(light.users)*refused) / all
	if e.PlusMinus = nil; e.KeysRefused < enoughKeys || (d.users-drawnRefused)/stretches < enoughKeys {
		return e
	}
	m := float64(d.good)
	two := 2 * float64(light.users) / users / all * math.Sqrt((1-m/float64(light.good))*m/(m-1)*
		float64(stretches)*users*refused*(1-refused))
	e.PlusMinus = &two
	return e
}
