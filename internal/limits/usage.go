// Package limits measures what the clients of recorded traffic use: each client's busiest window, what an exact limiter
// rejects under a limit, what a change of limits newly rejects, and the least limits that reject few. It does not
// depend on any algorithm.
package limits

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"slices"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// Windows has the lengths of the windows that are measured.
var Windows = []time.Duration{time.Second, time.Minute, time.Hour}

// Longer returns a note that names the windows that are longer than the log, or nil. Their figures cover the whole log.
func Longer(durationUS int64) []string {
	var names []string
	for _, w := range Windows {
		if us := w.Microseconds(); us > durationUS {
			names = append(names, report.Span(us))
		}
	}
	if names == nil {
		return nil
	}
	return []string{"the figures per " + message.List(names) + " cover the whole log, which is shorter"}
}

// Log has the requests of a log in the order of time, once for all clients and once by client. A request takes about
// ten bytes.
type Log struct {
	Within                 string // as in result.Users
	Requests, Cost, LastUS int64
	all                    []byte
	clients                []client  // sorted by name
	list                   []request // the requests of listed
	listed                 *client   // the client unpacked last
	owners                 []int32   // by place: the client's index; nil: not known yet
	rejects                []bool    // by place
	blocks                 []block   // sorted: the busiest first
	perBlock               int       // the number of requests of a block
}

// client has the packed requests of a client, and the last request.
type client struct {
	key    string
	packed []byte
	last   request
}

// request is one request of a client, with its place among all requests of the log.
type request struct{ atUS, cost, place int64 }

// Read reads all requests of a stream, which must be in the order of time. It returns the stream's error.
func Read(stream iter.Seq2[limit.Request, error]) (*Log, error) {
	l, index := &Log{}, map[string]int{}
	for q, err := range stream {
		if err != nil {
			return nil, err
		}
		i, known := index[q.Key]
		if !known {
			i = len(l.clients)
			index[q.Key] = i
			l.clients = append(l.clients, client{key: q.Key})
		}
		c := &l.clients[i]
		c.packed = pack(c.packed, q.AtUS-c.last.atUS, q.Cost)
		c.packed = binary.AppendUvarint(c.packed, uint64(l.Requests-c.last.place))
		c.last = request{atUS: q.AtUS, place: l.Requests}
		l.all = pack(l.all, q.AtUS-l.LastUS, q.Cost)
		l.Requests++
		l.Cost += q.Cost
		l.LastUS = q.AtUS
	}
	slices.SortFunc(l.clients, func(a, b client) int { return cmp.Compare(a.key, b.key) })
	return l, nil
}

// pack appends a request: the time since the previous one, and the cost if it is not 1.
func pack(b []byte, gapUS, cost int64) []byte {
	if cost == 1 {
		return binary.AppendUvarint(b, uint64(gapUS)<<1)
	}
	return binary.AppendUvarint(binary.AppendUvarint(b, uint64(gapUS)<<1|1), uint64(cost))
}

// unpack changes q to the next request, which b begins with. It returns the bytes after this request.
func (q *request) unpack(b []byte) (rest []byte) {
	gap, n := binary.Uvarint(b)
	q.atUS += int64(gap >> 1)
	if q.cost = 1; gap&1 != 0 {
		cost, more := binary.Uvarint(b[n:])
		q.cost = int64(cost)
		n += more
	}
	return b[n:]
}

// of returns a client's requests, which are valid until the next call.
func (l *Log) of(c *client) []request {
	if l.listed == c {
		return l.list
	}
	l.list, l.listed = l.list[:0], c
	var q request
	for b := c.packed; len(b) > 0; l.list = append(l.list, q) {
		b = q.unpack(b)
		gap, n := binary.Uvarint(b)
		q.place += int64(gap)
		b = b[n:]
	}
	return l.list
}

// mostNamed is the most clients that a table names. A name may take two lines.
const mostNamed = 5

// Look returns the document of the readings of one log. It has what each of the policies rejects, or the frontier if
// policies is nil. A policy has one limit, or several on each request. The first reading determines the rates of the
// frontier. read returns the next reading, or nil after the last one. A reading is freed before read is called again.
// It returns read's error, or an error that names a key without the part that a limit applies to.
func Look(policies [][]limit.Limit, read func() (*Log, error)) (*result.Document, error) {
	d := result.New(result.OfLimits, "")
	var buckets []limit.Policy
	for l, err := read(); l != nil || err != nil; l, err = read() {
		if err != nil {
			return nil, err
		}
		d.Traffic = cmp.Or(d.Traffic, &result.Traffic{Recorded: true, Requests: l.Requests, Cost: l.Cost,
			Keys: int64(len(l.clients)), DurationUS: l.LastUS})
		u := result.Users{WithinSecond: l.Within}
		byWindow, needs := l.under(len(Windows), func(i int) rule { return window(Windows[i].Microseconds()) })
		for i, w := range Windows {
			u.Windows = append(u.Windows, l.window(w.Microseconds(), needs[i]))
		}
		var before []limit.Each
		for i, limits := range policies {
			refused, err := l.refusals(limits)
			if err != nil {
				return nil, fmt.Errorf("--limit: %w", err)
			}
			u.Limits = append(u.Limits, l.rejected(limits, refused))
			if len(policies) == 2 && i == 1 {
				u.Change = l.change(before, refused)
			}
			before = refused
		}
		d.Users = append(d.Users, u)
		if policies != nil {
			continue
		}
		if buckets == nil {
			buckets = rates(u.Windows[len(Windows)-1].P99, u.Windows[0].Most)
		}
		l.survey(4096)
		for i, w := range Windows {
			f := result.Frontier{WithinSecond: l.Within, WindowUS: w.Microseconds()}
			d.Frontier = append(d.Frontier, l.frontier(f, byWindow[i], needs[i]))
		}
		byRate, needs := l.under(len(buckets), func(i int) rule { return bucket(buckets[i]) })
		for i, p := range buckets {
			f := result.Frontier{WithinSecond: l.Within, Rate: p.Requests, WindowUS: p.WindowUS()}
			d.Frontier = append(d.Frontier, l.frontier(f, byRate[i], needs[i]))
		}
	}
	for i := range policies {
		keep(d.Users, mostNamed, func(u *result.Users) *[]result.Client { return &u.Limits[i].Who },
			func(c result.Client) [2]int64 { return [2]int64{c.Rejected} })
	}
	if len(policies) == 2 {
		keep(d.Users, math.MaxInt, func(u *result.Users) *[]result.Changed { return &u.Change.Who },
			func(c result.Changed) [2]int64 { return [2]int64{c.NewlyRejected, c.NoLongerRejected} })
	}
	return d, nil
}

// keep shortens a list in each reading to the elements whose weight is above 0 in any reading. All readings keep the
// same elements, the heaviest first, and at most `most`.
func keep[T any](readings []result.Users, most int, list func(*result.Users) *[]T, weight func(T) [2]int64) {
	weights, order := make([][2]int64, len(*list(&readings[0]))), []int(nil)
	for i := range weights {
		for r := range readings {
			w := weight((*list(&readings[r]))[i])
			weights[i] = [2]int64{max(weights[i][0], w[0]), max(weights[i][1], w[1])}
		}
		if weights[i] != [2]int64{} {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return slices.Compare(weights[b][:], weights[a][:]) })
	for r := range readings {
		var kept []T
		all := list(&readings[r])
		for _, i := range order[:min(len(order), most)] {
			kept = append(kept, (*all)[i])
		}
		*all = kept
	}
}

// window measures the busiest windows of one length.
func (l *Log) window(windowUS int64, needs []int64) result.Busiest {
	w := result.Busiest{WindowUS: windowUS}
	for i, most := range needs {
		if most > w.Most {
			w.Most, w.MostKey = most, l.clients[i].key
		}
	}
	all := slices.Sorted(slices.Values(needs))
	w.P50, w.P99, w.P999 = quantile(all, 0.5), quantile(all, 0.99), quantile(all, 0.999)
	return w
}

// quantile returns the smallest value that is at least as large as the given share of the sorted values.
func quantile(sorted []int64, share float64) int64 {
	rank := int(math.Ceil(share*float64(len(sorted)) - 1e-9)) // 0.9 · 10 is 9
	return sorted[max(rank, 1)-1]
}

// rejected returns what an exact limiter of these limits rejects. refused is the result of refusals. The field Who has
// all clients.
func (l *Log) rejected(limits []limit.Limit, refused []limit.Each) result.Rejected {
	t := result.Rejected{Limit: result.LimitOf(limits[0].Policy)}
	for i := 0; len(limits) > 1 && i < len(limits); i++ {
		t.Limits = append(t.Limits, result.Refusing{NamedLimit: result.NamedLimitOf(limits[i])})
	}
	for place := range l.clients {
		c := result.Client{Key: l.clients[place].key}
		for _, q := range l.of(&l.clients[place]) {
			c.Asked += q.cost
			if by := refused[q.place]; by != 0 {
				if c.LastUS = q.atUS; c.Rejected == 0 {
					c.FirstUS = q.atUS
				}
				c.Rejected += q.cost
				count(&t, &c, by)
			}
		}
		t.Rejected += c.Rejected
		t.Clients += min(c.Rejected, 1)
		t.Who = append(t.Who, c)
	}
	return t
}

// count counts a client's rejected request for each limit that refuses it, if there are several limits.
func count(t *result.Rejected, c *result.Client, by limit.Each) {
	if t.Limits != nil {
		t.RejectedRequests++
	}
	for i := range t.Limits {
		if one := &t.Limits[i]; by.Has(i) {
			if one.Refused++; !by.Several() {
				one.RefusedAlone++
			}
			if c.Refused == nil {
				c.Refused = map[string]int64{}
			}
			c.Refused[one.Name]++
		}
	}
}
