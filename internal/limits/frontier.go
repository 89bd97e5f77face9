package limits

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/result"
)

// perMille are the shares of a frontier, in thousandths.
var perMille = []int64{0, 1, 10, 50}

// frontier finds the least limits under a rule; all is the busiest second where nothing is rejected. For shares of
// clients one pass is enough: a client has no rejection if the limit is at least the most that it needs. For shares of
// requests each limit is played, without the clients that it does not reject; where all costs are 1, a larger limit
// never rejects more.
func (l *Log) frontier(f result.Frontier, r rule, all int64) result.Frontier {
	needs, order := make([]int64, len(l.clients)), make([]int, len(l.clients)) // those that need most are first
	for i := range l.clients {
		needs[i], order[i] = r.need(l.of(&l.clients[i])), i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(needs[b], needs[a]), a-b) })
	play := func(most, allowed int64) (exceeded bool) { // until more is rejected than allowed
		for _, i := range order {
			if needs[i] <= most || allowed < 0 {
				break
			}
			requests := l.of(&l.clients[i])
			r(requests, most, func(i int, _ int64, over bool) {
				if over {
					allowed--
					l.rejects[requests[i].place] = true
				}
			})
		}
		return allowed < 0
	}
	seconds := map[int64]int64{needs[order[0]]: all} // by limit
	add := func(list []result.Least, share, most int64) []result.Least {
		if _, known := seconds[most]; !known {
			clear(l.rejects)
			play(most, l.Requests)
			seconds[most] = l.busiest()
		}
		return append(list, result.Least{Share: float64(share) / 1000, Limit: most, BusiestSecond: seconds[most]})
	}
	least := needs[order[0]] // of the requests
	for _, share := range perMille {
		f.Clients = add(f.Clients, share, needs[order[len(order)*int(share)/1000]])
		if l.Cost != l.Requests {
			continue
		}
		least = 1 + int64(sort.Search(int(least)-1, func(less int) bool {
			return !play(int64(less)+1, l.Requests*share/1000)
		}))
		f.Requests = add(f.Requests, share, least)
	}
	return f
}

// busiest is the most cost in one second of the requests that are not rejected.
func (l *Log) busiest() (most int64) {
	var sum int64
	var old, q request
	since := old.unpack(l.all)
	for until := l.all; len(until) > 0; q.place++ {
		until = q.unpack(until)
		for ; old.atUS <= q.atUS-time.Second.Microseconds(); old.place++ {
			if !l.rejects[old.place] {
				sum -= old.cost
			}
			since = old.unpack(since)
		}
		if !l.rejects[q.place] {
			sum += q.cost
			most = max(most, sum)
		}
	}
	return most
}

// rule plays a client's requests under an exact limiter with the limit most. For each request it calls each with the
// limit that would admit it, and whether that is over most, so that it is rejected.
type rule func(all []request, most int64, each func(i int, need int64, over bool))

// need is the least limit that rejects none of a client's requests.
func (r rule) need(all []request) (most int64) {
	r(all, 1<<62, func(_ int, need int64, _ bool) { most = max(most, need) })
	return most
}

// window is the rule of at most the limit in any (t − W, t].
func window(windowUS int64) rule {
	var admitted []int64 // the cost of each request; 0 if it is rejected
	return func(all []request, most int64, each func(int, int64, bool)) {
		admitted = slices.Grow(admitted[:0], len(all))[:len(all)]
		clear(admitted)
		var sum int64
		first := 0
		for i, q := range all {
			for all[first].atUS <= q.atUS-windowUS {
				sum -= admitted[first]
				first++
			}
			over := sum+q.cost > most
			if each(i, sum+q.cost, over); !over {
				admitted[i] = q.cost
				sum += q.cost
			}
		}
	}
}

// mostUnits is the largest level of a bucket, as in the model of gcra.
const mostUnits = int64(1) << 62

// MostBurst is the largest burst of a policy's rate that is counted exactly.
func MostBurst(p limit.Policy) int64 {
	w, _ := p.Interval()
	return min(mostUnits/w, limit.MaxRequests+1) - 1
}

// bucket is the rule of a token bucket, or GCRA, of a rate; the limit is its burst. The level of a bucket of rate r is
// q ← max(0, q − r·Δt) + cost. The burst that rejects nothing is the largest q, rounded up: the burstiness curve of
// network calculus (Cruz, "A calculus for network delay", IEEE Transactions on Information Theory 37(1), 1991).
//
// Levels are integers in units of 1/w permit, with l permits each w µs.
func bucket(rate limit.Policy) rule {
	w, l := rate.Interval()
	full := min(mostUnits/w, limit.MaxRequests+1)
	emptyUS := full*w/l + 1 // after it every level is 0
	return func(all []request, most int64, each func(int, int64, bool)) {
		var level, lastUS int64
		for i, q := range all {
			level = max(0, level-min(q.atUS-lastUS, emptyUS)*l)
			lastUS = q.atUS
			next := min(level+min(q.cost, full)*w, full*w)
			need := (next + w - 1) / w
			if next == full*w {
				need = limit.MaxRequests + 1
			}
			if each(i, need, need > most); need <= most {
				level = next
			}
		}
	}
}

// mostRates is the number of rates for which bursts are found.
const mostRates = 6

// rates chooses round rates: 1, 2, 5, 10 and 30 a minute, and 1, 2, 5, 10, … a second. They are spread evenly from the
// rate of perHour to that of perSecond, or are successive ones if these are close.
func rates(perHour, perSecond int64) (chosen []limit.Policy) {
	perMinute := []int64{1, 2, 5, 10, 30}
	for second := int64(60); second < 60*limit.MaxRequests; second *= 10 {
		perMinute = append(perMinute, second, 2*second, 5*second)
	}
	below := func(n int64) int {
		return max(1, sort.Search(len(perMinute), func(i int) bool { return perMinute[i] > n })) - 1
	}
	first := min(below(perHour/60), len(perMinute)-mostRates)
	last := max(first+mostRates-1, below(min(perSecond, 2*limit.MaxRequests)*60))
	for i := range mostRates {
		p := limit.Policy{Requests: perMinute[first+(i*(last-first)+2)/(mostRates-1)], Window: time.Minute}
		if p.Requests >= 60 {
			p = limit.Policy{Requests: p.Requests / 60, Window: time.Second}
		}
		chosen = append(chosen, p)
	}
	return chosen
}
