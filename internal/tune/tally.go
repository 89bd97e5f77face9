package tune

import (
	"fmt"

	"ratelab/internal/limit"
	"ratelab/internal/message"
)

// tally is what the first pass after the census counts where keys are sampled: exact figures of all keys, of each part,
// and what those that are drawn have of them.
type tally struct {
	strata  *strata
	parts   [parts]whole
	present set // keys with a request in this stretch
	inPart  set // and in this part
	now     part
	done    bool
	load    load
	shares  [parts][]portion // by number among those that are taken
	drawn   [parts]lot
}

// whole is what all keys have in one part.
type whole struct {
	heavy, light population
	worst        int64 // the backend's worst second without a limit
}

// population is what the keys of a stratum have in one part.
type population struct {
	keys           int64 // with a request
	good           int64 // of these
	users          int64 // good ones, in each stretch of the part counted again
	requests, cost int64 // requests of good users, cost of everybody
}

// portion is what one key that is taken has in one part.
type portion struct {
	users    int32 // in how many stretches it has a request
	requests int32
	cost     int64
}

func newTally(t *strata) *tally {
	a := &tally{strata: t}
	for p := range a.shares {
		a.shares[p] = make([]portion, t.heavy+t.drawn)
	}
	return a
}

// add is a request of any key; place is its number among those that are taken, −1 where it is not one of them.
func (a *tally) add(q limit.Request, number, place int64, light, good bool, p part) {
	if p != a.now {
		a.now = p
		clear(a.inPart)
	}
	w := &a.parts[p].heavy
	if light {
		w = &a.parts[p].light
	}
	a.load.add(q.AtUS, 0, q.Cost)
	w.cost += q.Cost
	isNew := !a.present.has(number)
	if isNew {
		a.present.add(number)
		if !a.inPart.has(number) {
			a.inPart.add(number)
			w.keys++
			if good {
				w.good++
			}
		}
	}
	if good {
		w.requests++
		if isNew {
			w.users++
		}
	}
	if place < 0 {
		return
	}
	of := &a.shares[p][place]
	of.requests++
	of.cost += q.Cost
	if isNew {
		of.users++
	}
}

// rest ends a stretch.
func (a *tally) rest(p part) {
	if a == nil {
		return
	}
	clear(a.present)
	a.load.rest()
	a.parts[p].worst = max(a.parts[p].worst, a.load.most)
	a.load.most = 0
}

// lot is what the keys that are drawn have in one part.
type lot struct {
	keys      int64 // with a request
	good      int64 // of these
	users     int64 // good ones, in each stretch of the part counted again
	requests  int64 // of good users
	stretches int64 // the most in which one of them has a request
}

// end adds up what the keys that are drawn have, and no more is counted. An error says where a part has keys of the
// rest and none of them is drawn.
func (a *tally) end(isGood func(int64) bool) error {
	if a == nil {
		return nil
	}
	a.done = true
	for p, name := range [parts]string{"fitted", "held-out"} {
		d := &a.drawn[p]
		for place := range a.strata.light.all() {
			of := &a.shares[p][place]
			if of.requests == 0 {
				continue
			}
			d.keys++
			if isGood(place) {
				d.good++
				d.users += int64(of.users)
				d.requests += int64(of.requests)
				d.stretches = max(d.stretches, int64(of.users))
			}
		}
		light := &a.parts[p].light
		if light.keys > 0 && d.keys == 0 || light.good > 0 && d.good == 0 {
			return fmt.Errorf("the %s part has good users with at most %s, and none of them is in the sample; take a "+
				"larger one, or leave --sample out", name, message.Count(a.strata.most, "request"))
		}
	}
	return nil
}

// scale is how many users, and requests, of the rest one of the keys that are drawn stands for.
func (a *tally) scale(p part) (users, requests float64) {
	if a.drawn[p].users == 0 {
		return 1, 1
	}
	light, d := &a.parts[p].light, &a.drawn[p]
	return float64(light.users) / float64(d.users), float64(light.requests) / float64(d.requests)
}

// unlimited makes exact figures of those that no limit gives.
func (a *tally) unlimited(b *Both) {
	if a == nil {
		return
	}
	for p, f := range [parts]*Figures{&b.Fitted, &b.HeldOut} {
		f.Sampled, f.AdmittedCost, f.WorstSecond = nil, f.OfferedCost, a.parts[p].worst
	}
}
