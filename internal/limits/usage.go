// Package limits measures what the clients of recorded traffic use: each client's busiest window, what an exact limiter
// rejects under a limit, what a change of limits newly rejects, and the least limits that reject few. It knows no
// algorithm.
package limits

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/result"
)

// Windows are the lengths of the windows that are examined.
var Windows = []time.Duration{time.Second, time.Minute, time.Hour}

// Log is a log's requests by client, in order.
type Log struct {
	Within         string // as in result.Users
	Requests, Cost int64
	LastUS         int64
	all            []request
	clients        []client // by name
}

type client struct {
	key      string
	requests []request
	places   []int // the indices among all requests of the log
}

type request struct{ atUS, cost int64 }

// Read reads all requests of a stream, which are in the order of time. The error is the stream's.
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
		c, one := &l.clients[i], request{q.AtUS, q.Cost}
		c.requests, c.places = append(c.requests, one), append(c.places, len(l.all))
		l.all = append(l.all, one)
		l.Requests++
		l.Cost += q.Cost
		l.LastUS = q.AtUS
	}
	slices.SortFunc(l.clients, func(a, b client) int { return cmp.Compare(a.key, b.key) })
	return l, nil
}

// mostNamed is the number of clients that a table names. A name may take two lines.
const mostNamed = 5

// Look makes the document of the readings of one log: for these limits, or, without any, with the frontier. The first
// reading determines the frontier's rates.
func Look(readings []*Log, limits []limit.Policy) *result.Document {
	first := readings[0]
	d := result.New(result.OfLimits, "")
	d.Traffic = &result.Traffic{Recorded: true, Requests: first.Requests, Cost: first.Cost,
		Keys: int64(len(first.clients)), DurationUS: first.LastUS}
	var buckets []limit.Policy
	for _, l := range readings {
		u := result.Users{WithinSecond: l.Within}
		for _, w := range Windows {
			u.Windows = append(u.Windows, l.window(w.Microseconds()))
		}
		for _, p := range limits {
			u.Limits = append(u.Limits, l.rejected(p))
		}
		d.Users = append(d.Users, u)
		if limits != nil {
			continue
		}
		if buckets == nil {
			buckets = rates(u.Windows[len(Windows)-1].P99, u.Windows[0].Most)
		}
		for _, w := range Windows {
			f := result.Frontier{WithinSecond: l.Within, WindowUS: w.Microseconds()}
			d.Frontier = append(d.Frontier, l.frontier(f, window(w.Microseconds())))
		}
		for _, p := range buckets {
			f := result.Frontier{WithinSecond: l.Within, Rate: p.Requests, WindowUS: p.WindowUS()}
			d.Frontier = append(d.Frontier, l.frontier(f, bucket(p)))
		}
	}
	for i := range limits {
		name(d.Users, i)
	}
	if len(limits) == 2 {
		change(d.Users, readings, limits[0], limits[1])
	}
	return d
}

// name keeps the clients with the most rejections in any reading, the same in each reading.
func name(readings []result.Users, limit int) {
	order := order(len(readings[0].Limits[limit].Who), func(i int) (most [2]int64) {
		for _, r := range readings {
			most[0] = max(most[0], r.Limits[limit].Who[i].Rejected)
		}
		return most
	})
	for _, r := range readings {
		var who []result.Client
		for _, i := range order[:min(len(order), mostNamed)] {
			who = append(who, r.Limits[limit].Who[i])
		}
		r.Limits[limit].Who = who
	}
}

// order returns the clients with a weight other than 0, the heaviest first.
func order(clients int, weight func(client int) [2]int64) (order []int) {
	weights := make([][2]int64, clients)
	for i := range weights {
		if weights[i] = weight(i); weights[i] != [2]int64{} {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return slices.Compare(weights[b][:], weights[a][:]) })
	return order
}

// window measures the busiest windows of one length.
func (l *Log) window(windowUS int64) result.Busiest {
	w := result.Busiest{WindowUS: windowUS}
	var all []int64
	rule := window(windowUS)
	for _, c := range l.clients {
		most := rule.need(c.requests)
		if most > w.Most {
			w.Most, w.MostKey = most, c.key
		}
		all = append(all, most)
	}
	slices.Sort(all)
	w.P50, w.P99, w.P999 = quantile(all, 0.5), quantile(all, 0.99), quantile(all, 0.999)
	return w
}

// quantile is the smallest value that at least that share of the sorted values does not exceed.
func quantile(sorted []int64, share float64) int64 {
	rank := int(math.Ceil(share*float64(len(sorted)) - 1e-9)) // 0.9 · 10 is 9
	return sorted[max(rank, 1)-1]
}

// rejected is what an exact limiter rejects. Who are all clients.
func (l *Log) rejected(p limit.Policy) result.Rejected {
	t := result.Rejected{Limit: result.LimitOf(p)}
	for _, all := range l.clients {
		c := result.Client{Key: all.key}
		over := all.over(p)
		for i, q := range all.requests {
			c.Asked += q.cost
			if over[i] {
				if c.LastUS = q.atUS; c.Rejected == 0 {
					c.FirstUS = q.atUS
				}
				c.Rejected += q.cost
			}
		}
		t.Rejected += c.Rejected
		t.Clients += min(c.Rejected, 1)
		t.Who = append(t.Who, c)
	}
	return t
}

// over says which of the client's requests an exact limiter of the policy's contract rejects.
func (c *client) over(p limit.Policy) []bool {
	rule, most := window(p.WindowUS()), p.Requests
	if p.Contract == limit.ByBucket {
		rule, most = bucket(p), p.Capacity()
	}
	rejects := make([]bool, len(c.requests))
	rule(c.requests, most, func(i int, _ int64, over bool) { rejects[i] = over })
	return rejects
}
