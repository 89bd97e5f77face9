package limits

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/result"
)

// perMille has the shares of clients or requests for which the least limits are found, in thousandths.
var perMille = []int64{0, 1, 10, 50}

// frontier finds the least limits under a rule. needs has the least limit that rejects nothing of each client. So the
// least limits for shares of clients follow from needs. For shares of requests, frontier searches: it plays a limit,
// without the clients that need no more. The search works only if all costs are 1, because then a larger limit never
// rejects more.
func (l *Log) frontier(f result.Frontier, r rule, needs []int64) result.Frontier {
	order := make([]int, len(l.clients)) // clients with the highest needs come first
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(needs[b], needs[a]), a-b) })
	play := func(most, allowed int64) (exceeded bool) { // stops when more is rejected than allowed
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
	seconds := map[int64]int64{needs[order[0]]: l.blocks[0].most} // the busiest second by limit
	add := func(list []result.Least, share, most int64) []result.Least {
		if _, known := seconds[most]; !known {
			clear(l.rejects)
			play(most, l.Requests)
			seconds[most] = l.busiest()
		}
		return append(list, result.Least{Share: float64(share) / 1000, Limit: most, BusiestSecond: seconds[most]})
	}
	least := needs[order[0]] // the least limit for a share of the requests
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

// block is a number of consecutive requests of the log. most is the largest cost of any second that ends with one of
// these requests, if nothing is rejected.
type block struct {
	// the state before the first request: the oldest request of the second that ends there, and the last request
	oldest, last cursor
	most         int64
}

// cursor is a place among all requests of the log: a request, and the offset of the next one's bytes.
type cursor struct {
	request
	end int
}

// next moves the cursor to the next request.
func (l *Log) next(c *cursor) { c.end = len(l.all) - len(c.unpack(l.all[c.end:])) }

// survey divides the log into blocks of perBlock requests, the busiest first. No request is rejected yet.
func (l *Log) survey(perBlock int) {
	l.rejects, l.perBlock = make([]bool, l.Requests), perBlock
	var b block
	l.next(&b.oldest)
	for b.last.end < len(l.all) {
		following, most := l.walk(b)
		b.most = most
		l.blocks = append(l.blocks, b)
		b = following
	}
	slices.SortFunc(l.blocks, func(a, b block) int { return cmp.Compare(b.most, a.most) })
}

// busiest returns the largest sum of costs in one second. Rejected requests do not count. Rejections only lower the
// value most of a block. So most blocks need not be examined.
func (l *Log) busiest() (most int64) {
	for _, b := range l.blocks {
		if b.most <= most {
			break
		}
		_, now := l.walk(b)
		most = max(most, now)
	}
	return most
}

// walk returns the block after b, and the largest cost of any second that ends in b. Rejected requests do not count.
func (l *Log) walk(b block) (following block, most int64) {
	var sum int64
	admitted := func(q request) int64 {
		if l.rejects[q.place] {
			return 0
		}
		return q.cost
	}
	for c := b.oldest; c.place < b.last.place; l.next(&c) {
		sum += admitted(c.request)
		c.place++
	}
	oldest, last := b.oldest, b.last
	for range l.perBlock {
		if last.end == len(l.all) {
			break
		}
		l.next(&last)
		for oldest.atUS <= last.atUS-time.Second.Microseconds() {
			sum -= admitted(oldest.request)
			l.next(&oldest)
			oldest.place++
		}
		sum += admitted(last.request)
		most = max(most, sum)
		last.place++
	}
	return block{oldest: oldest, last: last}, most
}

// rule plays a client's requests under an exact limiter with the limit most. For each request, it calls each with need,
// the least limit that would admit the request. over is true if need exceeds most: then the request is rejected.
type rule func(all []request, most int64, each func(i int, need int64, over bool))

// need returns the least limit that rejects none of a client's requests.
func (r rule) need(all []request) (most int64) {
	r(all, 1<<62, func(_ int, need int64, _ bool) { most = max(most, need) })
	return most
}

// under makes n rules, and returns them with the needs of all clients. It unpacks each client's requests only once.
func (l *Log) under(n int, nth func(int) rule) (rules []rule, needs [][]int64) {
	for k := range n {
		rules = append(rules, nth(k))
	}
	needs = make([][]int64, n)
	for i := range l.clients {
		all := l.of(&l.clients[i])
		for k, r := range rules {
			needs[k] = append(needs[k], r.need(all))
		}
	}
	return rules, needs
}

// window returns the rule that admits at most the limit in any (t − W, t].
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

// MostBurst returns the largest burst that can be counted exactly at the rate of p.
func MostBurst(p limit.Policy) int64 {
	w, _ := p.Interval()
	return min(mostUnits/w, limit.MaxRequests+1) - 1
}

// bucket returns the rule of a token bucket, or GCRA, with the given rate. The limit of the rule is the burst. The
// level of a bucket with rate r is q ← max(0, q − r·Δt) + cost. The least burst that rejects nothing is the largest q,
// rounded up: the burstiness curve of network calculus (Cruz, "A calculus for network delay", IEEE Transactions on
// Information Theory 37(1), 1991).
//
// Levels are integers in units of 1/w token, with l tokens every w µs.
func bucket(rate limit.Policy) rule {
	w, l := rate.Interval()
	full := min(mostUnits/w, limit.MaxRequests+1)
	emptyUS := full*w/l + 1 // after this time every level is 0
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

// rates returns round rates: 1, 2, 5, 10 and 30 per minute, and 1, 2, 5, 10, … per second. They are spread evenly
// between the rates perHour and perSecond. If these are close, the rates are consecutive ones.
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
