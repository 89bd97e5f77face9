// Package usage says what the clients of recorded traffic use, and whom a limit would touch: for each client its
// busiest window, and for a limit what an exact limiter would refuse. It knows no algorithm.
package usage

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/result"
)

// Windows are the lengths of the windows that are looked at.
var Windows = []time.Duration{time.Second, 10 * time.Second, time.Minute, time.Hour}

// Log is the requests of each client, in order.
type Log struct {
	Requests, Cost, LastUS int64
	clients                map[string][]request
}

type request struct{ atUS, cost int64 }

// Read takes all requests of a stream, which come in the order of time; the errors are the stream's.
func Read(stream iter.Seq2[limit.Request, error]) (*Log, error) {
	l := &Log{clients: map[string][]request{}}
	for q, err := range stream {
		if err != nil {
			return nil, err
		}
		l.Requests++
		l.Cost += q.Cost
		l.LastUS = q.AtUS
		l.clients[q.Key] = append(l.clients[q.Key], request{q.AtUS, q.Cost})
	}
	return l, nil
}

// Document is what was found. Counts are costs, which are requests where each costs 1.
type Document struct {
	SchemaVersion int         `json:"schema_version"`
	Kind          string      `json:"kind" jsonschema:"enum=usage"`
	Tool          result.Tool `json:"tool"`
	Requests      int64       `json:"requests"`
	Cost          int64       `json:"cost"`
	Clients       int64       `json:"clients"` // distinct keys
	DurationUS    int64       `json:"duration_us"`
	Windows       []Window    `json:"windows"`
	Limits        []Touched   `json:"limits"`
	Notes         []string    `json:"notes"`
}

// Window is how much clients use in their busiest window: the most that one asks for in any interval (t − W, t]. The
// quantiles are of the clients: half of them never use more than P50.
type Window struct {
	WindowUS int64 `json:"window_us"`
	P50      int64 `json:"p50"`
	P90      int64 `json:"p90"`
	P99      int64 `json:"p99"`
	P999     int64 `json:"p99_9"`
	Most     int64 `json:"most"`
	// the client that uses most; of several the first by name
	MostKey string `json:"most_key"`
}

// Touched is what an exact limiter of a limit would refuse.
type Touched struct {
	Requests int64    `json:"requests"` // the limit
	WindowUS int64    `json:"window_us"`
	Refused  int64    `json:"refused"`
	Clients  int64    `json:"clients"` // of whom anything is refused
	Who      []Client `json:"who"`     // of whom most is refused, at most mostNamed
}

// Client is one of those that a limit touches.
type Client struct {
	Key     string `json:"key"`
	Asked   int64  `json:"asked"`
	Refused int64  `json:"refused"`
}

// mostNamed is how many clients a limit names.
const mostNamed = 10

// Look makes the document, for these limits; nil: some that touch few clients or hardly any.
func (l *Log) Look(limits []limit.Policy) *Document {
	d := &Document{SchemaVersion: result.Usage.Version, Kind: result.Usage.Kind,
		Requests: l.Requests, Cost: l.Cost, Clients: int64(len(l.clients)), DurationUS: l.LastUS,
		Windows: []Window{}, Limits: []Touched{}, Notes: []string{}}
	for _, w := range Windows {
		d.Windows = append(d.Windows, l.window(w.Microseconds()))
	}
	if limits == nil {
		limits = d.candidates()
	}
	for _, p := range limits {
		d.Limits = append(d.Limits, l.touched(p.Requests, p.WindowUS()))
	}
	return d
}

// Otherwise says what another rule for whole seconds would refuse, where that differs: "at_once would refuse 123
// instead of 98 at 5/1s". It is "" where nothing differs. Both documents have the same limits.
func (d *Document) Otherwise(rule string, other *Document) string {
	var all []string
	for i, t := range d.Limits {
		if o := other.Limits[i]; o.Refused != t.Refused {
			all = append(all, fmt.Sprintf("%d instead of %d at %s", o.Refused, t.Refused, t.policy()))
		}
	}
	if all == nil {
		return ""
	}
	return rule + " would refuse " + strings.Join(all, ", ")
}

// policy is the limit.
func (t Touched) policy() limit.Policy {
	return limit.Policy{Requests: t.Requests, Window: time.Duration(t.WindowUS) * time.Microsecond}
}

// Policies are the limits that were looked at.
func (d *Document) Policies() (all []limit.Policy) {
	for _, t := range d.Limits {
		all = append(all, t.policy())
	}
	return all
}

// window looks at the busiest windows of one length.
func (l *Log) window(windowUS int64) Window {
	w := Window{WindowUS: windowUS}
	var all []int64
	for _, key := range slices.Sorted(maps.Keys(l.clients)) {
		most := busiest(l.clients[key], windowUS)
		if most > w.Most {
			w.Most, w.MostKey = most, key
		}
		all = append(all, most)
	}
	slices.Sort(all)
	w.P50, w.P90, w.P99, w.P999 = quantile(all, 0.5), quantile(all, 0.9), quantile(all, 0.99), quantile(all, 0.999)
	return w
}

// busiest is the largest sum of costs in any (t − window, t].
func busiest(all []request, windowUS int64) int64 {
	var sum, most int64
	first := 0
	for _, q := range all {
		for all[first].atUS <= q.atUS-windowUS {
			sum -= all[first].cost
			first++
		}
		sum += q.cost
		most = max(most, sum)
	}
	return most
}

// quantile is the smallest of the sorted values that is not exceeded by at least the share of them; of none it is 0.
func quantile(sorted []int64, share float64) int64 {
	if len(sorted) == 0 {
		return 0
	}
	rank := int(math.Ceil(share*float64(len(sorted)) - 1e-9)) // 0.9 · 10 is 9
	return sorted[max(rank, 1)-1]
}

// touched lets an exact limiter decide.
func (l *Log) touched(most, windowUS int64) Touched {
	t := Touched{Requests: most, WindowUS: windowUS, Who: []Client{}}
	for key, all := range l.clients {
		if c := refused(all, most, windowUS); c.Refused > 0 {
			c.Key = key
			t.Refused += c.Refused
			t.Clients++
			t.Who = append(t.Who, c)
		}
	}
	slices.SortFunc(t.Who, func(a, b Client) int {
		return cmp.Or(cmp.Compare(b.Refused, a.Refused), cmp.Compare(a.Key, b.Key))
	})
	t.Who = t.Who[:min(len(t.Who), mostNamed)]
	return t
}

// refused is what an exact sliding log refuses of one client.
func refused(all []request, most, windowUS int64) (c Client) {
	var admitted []request
	var sum int64
	first := 0
	for _, q := range all {
		c.Asked += q.cost
		for first < len(admitted) && admitted[first].atUS <= q.atUS-windowUS {
			sum -= admitted[first].cost
			first++
		}
		if sum+q.cost > most {
			c.Refused += q.cost
			continue
		}
		sum += q.cost
		admitted = append(admitted, q)
	}
	return c
}

// candidates are round limits that touch at most one client in a hundred, and at most one in a thousand, in each
// window.
func (d *Document) candidates() []limit.Policy {
	var all []limit.Policy
	for _, w := range d.Windows {
		for _, n := range []int64{w.P99, w.P999} {
			p := limit.Policy{Requests: roundUp(n), Window: time.Duration(w.WindowUS) * time.Microsecond}
			if p.Requests > 0 && !slices.Contains(all, p) {
				all = append(all, p)
			}
		}
	}
	return all
}

// roundUp is the next number that people choose: 1, 2, 3, 4, 5, 6, 8 or 15, and ten times as much.
func roundUp(n int64) int64 {
	for unit := int64(1); ; unit *= 10 {
		for _, digits := range []int64{1, 2, 3, 4, 5, 6, 8, 10, 15} {
			if digits*unit >= n {
				return digits * unit
			}
		}
	}
}
