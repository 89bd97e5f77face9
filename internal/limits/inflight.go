package limits

import (
	"cmp"
	"io"
	"iter"
	"slices"
	"sort"

	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// span is the interval in which a request is in flight: [at, end).
type span struct{ atUS, endUS int64 }

// Spans has the intervals in which each client's requests were in flight.
type Spans struct {
	Within           string // as in result.Users
	Requests, LastUS int64
	clients          []spanned
}

// spanned is a client with its requests, the earliest first.
type spanned struct {
	key   string
	spans []span
	byEnd []int32 // the places of the requests in spans, in the order of their ends
	most  int     // in flight at one instant
}

// ReadSpans reads all requests of a stream that has their durations. It returns the stream's error.
func ReadSpans(stream iter.Seq2[limit.Request, error]) (*Spans, error) {
	s, index := &Spans{}, map[string]int{}
	for q, err := range stream {
		if err != nil {
			return nil, err
		}
		i, known := index[q.Key]
		if !known {
			i = len(s.clients)
			index[q.Key] = i
			s.clients = append(s.clients, spanned{key: q.Key})
		}
		c := &s.clients[i]
		c.spans = append(c.spans, span{q.AtUS, q.AtUS + q.TakesUS})
		s.Requests++
		s.LastUS = q.AtUS
	}
	slices.SortFunc(s.clients, func(a, b spanned) int { return cmp.Compare(a.key, b.key) })
	for i := range s.clients {
		c := &s.clients[i]
		c.byEnd = make([]int32, len(c.spans))
		for k := range c.spans {
			c.byEnd[k] = int32(k)
		}
		slices.SortFunc(c.byEnd, func(a, b int32) int { return cmp.Compare(c.spans[a].endUS, c.spans[b].endUS) })
		c.most, _ = c.play(len(c.spans), 0)
	}
	return s, nil
}

// play plays the client's requests under a concurrency limit. It returns the largest number the most requests in flight
// at one instant, and the number of rejected requests. It stops as soon as more than enough requests are rejected. A
// request that ends at the instant when another one starts makes room for it.
func (c *spanned) play(limit, enough int) (most, rejected int) {
	admitted := make([]bool, len(c.spans))
	ended, inFlight := 0, 0
	for i, s := range c.spans {
		for ; c.spans[c.byEnd[ended]].endUS <= s.atUS; ended++ {
			if admitted[c.byEnd[ended]] {
				inFlight--
			}
		}
		if inFlight < limit {
			admitted[i] = true
			inFlight++
			most = max(most, inFlight)
		} else if rejected++; rejected > enough {
			break
		}
	}
	return most, rejected
}

// InFlight finds how many requests each client has in flight, and the least limits that reject few. A limit rejects
// none of a client's requests if it is at least the client's most. A larger limit admits every request that a smaller
// limit admits. So bisection finds the least limit for a share of the requests.
func (s *Spans) InFlight() result.InFlight {
	f := result.InFlight{WithinSecond: s.Within}
	slices.SortStableFunc(s.clients, func(a, b spanned) int { return cmp.Compare(b.most, a.most) })
	all := make([]int64, len(s.clients))
	for i, c := range s.clients {
		all[len(all)-1-i] = int64(c.most)
	}
	f.Most, f.MostKey = int64(s.clients[0].most), s.clients[0].key
	f.P50, f.P99, f.P999 = quantile(all, 0.5), quantile(all, 0.99), quantile(all, 0.999)
	exceeds := func(limit, allowed int) bool {
		for _, c := range s.clients {
			if c.most <= limit || allowed < 0 {
				break
			}
			_, n := c.play(limit, allowed)
			allowed -= n
		}
		return allowed < 0
	}
	for _, share := range perMille {
		add := func(list []result.Slots, limit int) []result.Slots {
			return append(list, result.Slots{Share: float64(share) / 1000, Limit: int64(limit)})
		}
		f.Clients = add(f.Clients, s.clients[len(s.clients)*int(share)/1000].most)
		f.Requests = add(f.Requests, 1+sort.Search(s.clients[0].most-1, func(less int) bool {
			return !exceeds(less+1, int(s.Requests*share/1000))
		}))
	}
	return f
}

// LookInFlight returns the document of the readings of one log. read returns the next reading, or nil after the last
// one. A reading is freed before read is called again. LookInFlight returns read's error.
func LookInFlight(read func() (*Spans, error)) (*result.Document, error) {
	d := result.New(result.OfLimits, "")
	for s, err := read(); s != nil || err != nil; s, err = read() {
		if err != nil {
			return nil, err
		}
		d.Traffic = cmp.Or(d.Traffic, &result.Traffic{Recorded: true, Requests: s.Requests, Cost: s.Requests,
			Keys: int64(len(s.clients)), DurationUS: s.LastUS})
		d.InFlight = append(d.InFlight, s.InFlight())
	}
	return d, nil
}

// inFlight returns the tables of requests in flight.
func (p *page) inFlight() []report.Table {
	used := report.Table{Bare: true, Columns: []report.Column{{Name: "most at one instant", Words: true}}}
	used.Columns = append(used.Columns, report.Numbers("p50", "p99", "p99.9", "most")...)
	used.Columns = append(used.Columns, report.Column{Name: "by", Words: true, Narrowest: 12})
	used.Rows = append(used.Rows, p.row(func(r *reading) []string {
		f := r.inFlight
		return []string{"requests in flight", report.Integer(f.P50), report.Integer(f.P99), report.Integer(f.P999),
			report.Integer(f.Most), message.Shown(p.readings[0].inFlight.MostKey)}
	}))
	least := report.Table{Bare: true, Columns: []report.Column{{Group: "the least limit", Name: "that rejects",
		Words: true}}}
	for _, group := range []string{"of the clients", "of the requests"} {
		for i, name := range []string{"0%", "0.1%", "1%", "5%"} {
			if group == "of the clients" || i > 0 { // for 0 % both are the same
				least.Columns = append(least.Columns, report.Column{Group: group, Name: name})
			}
		}
	}
	least.Rows = append(least.Rows, p.row(func(r *reading) []string {
		row := []string{"in flight"}
		for _, s := range slices.Concat(r.inFlight.Clients, r.inFlight.Requests[1:]) {
			row = append(row, report.Integer(s.Limit))
		}
		return row
	}))
	return []report.Table{used, least}
}

// writeInFlight writes a line for each least limit.
func writeInFlight(w io.Writer, d *result.Document) error {
	all := [][]string{{"of", "share", "limit", "within_second"}}
	for _, f := range d.InFlight {
		for i, s := range slices.Concat(f.Clients, f.Requests) {
			all = append(all, []string{[]string{"clients", "requests"}[i/len(perMille)], report.Float(s.Share),
				report.Integer(s.Limit), f.WithinSecond})
		}
	}
	return report.WriteCSV(w, all)
}
