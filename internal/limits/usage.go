// Package limits says what the clients of recorded traffic use: for each client its busiest window, for a limit what an
// exact limiter would reject, and the least limits that reject few. It knows no algorithm.
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

// Windows are the lengths of the windows that are looked at.
var Windows = []time.Duration{time.Second, time.Minute, time.Hour}

// Log is the requests of each client, in order.
type Log struct {
	Within         string // as in Reading
	Requests, Cost int64
	LastUS         int64
	all            []request
	clients        []client // by name
}

type client struct {
	key      string
	requests []request
	places   []int // among all requests of the log
}

type request struct{ atUS, cost int64 }

// Read takes all requests of a stream, which come in the order of time; the errors are the stream's.
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

// Document is what was found. Counts are costs, which are requests where each costs 1. Instants are from the first
// request on.
type Document struct {
	SchemaVersion int         `json:"schema_version"`
	Kind          string      `json:"kind" jsonschema:"enum=usage"`
	Tool          result.Tool `json:"tool"`
	Requests      int64       `json:"requests"`
	Cost          int64       `json:"cost"`
	Clients       int64       `json:"clients"`  // distinct keys
	StartUS       int64       `json:"start_us"` // the first request, since 1970; 0 where the log does not say
	DurationUS    int64       `json:"duration_us"`
	// several where the log does not say where in its second a request lies
	Readings []Reading `json:"readings"`
	Notes    []string  `json:"notes"`
}

// Reading is what is found if the requests of one whole second lie within it as said.
type Reading struct {
	WithinSecond string     `json:"within_second"` // even or at_once; empty where the log says it
	Windows      []Window   `json:"windows"`
	Frontier     []Frontier `json:"frontier"` // none where limits were asked for
	Limits       []Touched  `json:"limits"`   // those that were asked for
}

// Window is how much clients use in their busiest window: the most that one asks for in any interval (t − W, t]. The
// quantiles are of the clients: half of them never use more than P50.
type Window struct {
	WindowUS int64 `json:"window_us"`
	P50      int64 `json:"p50"`
	P99      int64 `json:"p99"`
	P999     int64 `json:"p99_9"`
	Most     int64 `json:"most"`
	// the client that uses most; of several the first by name
	MostKey string `json:"most_key"`
}

// Touched is what an exact limiter of a limit would reject.
type Touched struct {
	Requests int64    `json:"requests"` // the limit
	WindowUS int64    `json:"window_us"`
	Rejected int64    `json:"rejected"`
	Clients  int64    `json:"clients"` // of whom anything is rejected
	Who      []Client `json:"who"`     // of whom most is rejected, at most mostNamed
}

// Client is one of those that a limit touches.
type Client struct {
	Key      string `json:"key"`
	Asked    int64  `json:"asked"`
	Rejected int64  `json:"rejected"`
	FirstUS  int64  `json:"first_us"` // when the first request was rejected; 0 where none was
	LastUS   int64  `json:"last_us"`
}

// mostNamed is how many clients a limit names. On a terminal a name may take two lines.
const mostNamed = 5

// Look makes the document of the readings of one log: for these limits, or without any the frontier. Its rates suit
// the first reading.
func Look(readings []*Log, limits []limit.Policy) *Document {
	l := readings[0]
	d := &Document{SchemaVersion: result.Usage.Version, Kind: result.Usage.Kind, Requests: l.Requests, Cost: l.Cost,
		Clients: int64(len(l.clients)), DurationUS: l.LastUS, Readings: []Reading{}, Notes: []string{}}
	var buckets []limit.Policy
	for _, l := range readings {
		r := Reading{l.Within, []Window{}, []Frontier{}, []Touched{}}
		for _, w := range Windows {
			r.Windows = append(r.Windows, l.window(w.Microseconds()))
		}
		for _, p := range limits {
			r.Limits = append(r.Limits, l.touched(p))
		}
		if limits == nil && buckets == nil {
			buckets = rates(r.Windows[len(Windows)-1].P99, r.Windows[0].Most)
		}
		for _, w := range Windows[:min(len(buckets), len(Windows))] {
			r.Frontier = append(r.Frontier, l.frontier(Frontier{WindowUS: w.Microseconds()}, window(w.Microseconds())))
		}
		for _, p := range buckets {
			r.Frontier = append(r.Frontier, l.frontier(Frontier{Rate: p.Requests, WindowUS: p.WindowUS()}, bucket(p)))
		}
		d.Readings = append(d.Readings, r)
	}
	for i := range limits {
		d.name(i)
	}
	return d
}

// name leaves those clients of a limit of whom most is rejected in any reading, the same in each.
func (d *Document) name(limit int) {
	most := make([]int64, d.Clients)
	order := make([]int, d.Clients)
	for i := range order {
		order[i] = i
		for _, r := range d.Readings {
			most[i] = max(most[i], r.Limits[limit].Who[i].Rejected)
		}
	}
	order = slices.DeleteFunc(order, func(i int) bool { return most[i] == 0 })
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(most[b], most[a]) })
	for _, r := range d.Readings {
		who := []Client{}
		for _, i := range order[:min(len(order), mostNamed)] {
			who = append(who, r.Limits[limit].Who[i])
		}
		r.Limits[limit].Who = who
	}
}

// window looks at the busiest windows of one length.
func (l *Log) window(windowUS int64) Window {
	w := Window{WindowUS: windowUS}
	var all []int64
	for _, c := range l.clients {
		most := window(windowUS).need(c.requests)
		if most > w.Most {
			w.Most, w.MostKey = most, c.key
		}
		all = append(all, most)
	}
	slices.Sort(all)
	w.P50, w.P99, w.P999 = quantile(all, 0.5), quantile(all, 0.99), quantile(all, 0.999)
	return w
}

// quantile is the smallest of the sorted values that is not exceeded by at least the share of them.
func quantile(sorted []int64, share float64) int64 {
	rank := int(math.Ceil(share*float64(len(sorted)) - 1e-9)) // 0.9 · 10 is 9
	return sorted[max(rank, 1)-1]
}

// touched lets an exact limiter decide. Who are all clients.
func (l *Log) touched(p limit.Policy) Touched {
	t := Touched{Requests: p.Requests, WindowUS: p.WindowUS()}
	for _, all := range l.clients {
		c := Client{Key: all.key}
		for _, q := range all.requests {
			c.Asked += q.cost
		}
		window(t.WindowUS)(all.requests, p.Requests, func(i int, _ int64, over bool) {
			if q := all.requests[i]; over {
				if c.LastUS = q.atUS; c.Rejected == 0 {
					c.FirstUS = q.atUS
				}
				c.Rejected += q.cost
			}
		})
		t.Rejected += c.Rejected
		t.Clients += min(c.Rejected, 1)
		t.Who = append(t.Who, c)
	}
	return t
}
