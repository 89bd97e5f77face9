package tune

import (
	"time"

	"ratelab/internal/limit"
)

// tooMuch stands for every figure that is larger than any limit may be.
const tooMuch = limit.MaxRequests + 1

// mostUnits is how full a bucket can be counted, as in the model of gcra.
const mostUnits = int64(1) << 62

// bursts finds for each key the smallest burst with which a token bucket, or GCRA, never refuses it, at each of some
// rates at once. Where nothing is refused the level of such a bucket is
//
//	q ← max(0, q − r·Δt) + c    r: the rate; Δt: since the key's last request; c: the request's cost
//
// and the burst that it takes is the largest q, rounded up. That is max over s ≤ t of A(s, t) − r·(t − s), where
// A(s, t) is the cost asked for in the closed interval [s, t]: the burstiness curve of network calculus (Cruz, "A
// calculus for network delay", IEEE Transactions on Information Theory 37(1), 1991).
//
// All is in integers: with r = l permits each w µs a level is in units of 1/w permit.
type bursts struct {
	rates []rate
	last  slab[int64] // a key's last request, in µs
	level slab[int64] // of a key, for each rate: q·w
	least slab[int32] // of a key, for each rate: the burst that it takes, at most tooMuch
}

// rate is so many permits a window, as a reduced fraction.
type rate struct {
	w, l    int64 // l permits each w µs
	most    int64 // the largest burst that is counted, plus one
	emptyUS int64 // after which every level that is counted is down to zero
}

// rateOf is the rate of a limit.
func rateOf(p limit.Policy) rate {
	w, l := p.Interval()
	r := rate{w: w, l: l, most: min(mostUnits/w, tooMuch)}
	r.emptyUS = r.most*w/l + 1
	return r
}

func newBursts(rates []limit.Policy) *bursts {
	b := &bursts{last: slab[int64]{width: 1}}
	for _, p := range rates {
		b.rates = append(b.rates, rateOf(p))
	}
	b.level.width, b.least.width = len(rates), len(rates)
	return b
}

// add is a request of a key. Times do not decrease.
func (b *bursts) add(number, atUS, cost int64) {
	last, levels, least := &b.last.row(number)[0], b.level.row(number), b.least.row(number)
	sinceUS := atUS - *last
	*last = atUS
	for i := range b.rates {
		r := &b.rates[i]
		level := int64(0)
		if sinceUS < r.emptyUS {
			level = max(0, levels[i]-sinceUS*r.l)
		}
		level += min(cost, r.most) * r.w
		switch {
		case level >= r.most*r.w:
			levels[i], least[i] = r.most*r.w, tooMuch
			continue
		case least[i] < tooMuch && level > int64(least[i])*r.w:
			least[i] = int32((level + r.w - 1) / r.w)
		}
		levels[i] = level
	}
}

// collect adds to the histograms, one for each rate, what the key takes.
func (b *bursts) collect(number int64, into []histogram) {
	for i, n := range b.least.row(number) {
		into[i].add(int64(n), 1)
	}
}

// clear forgets all keys.
func (b *bursts) clear() {
	b.last.clear()
	b.level.clear()
	b.least.clear()
}

// filling is how long a bucket of that burst takes to fill at the rate of p.
func filling(p limit.Policy) time.Duration {
	w, l := p.Interval()
	return time.Duration(float64(p.Capacity()) * float64(w) / float64(l) * float64(time.Microsecond))
}
