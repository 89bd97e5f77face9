package measure

import (
	"fmt"
	"time"

	"ratelab/internal/limit"
)

// LimitFigures are a row's figures for one of several limits. Peak and XLimit measure the requests that all limits
// admitted. They use this limit's part of the key, and the cost that this limit counts.
type LimitFigures struct {
	Name         string  `json:"name"`
	Refused      int64   `json:"refused"`       // requests that this limit refused
	RefusedAlone int64   `json:"refused_alone"` // of these, requests that no other limit refused
	Peak         int64   `json:"peak"`
	XLimit       float64 `json:"x_limit"`
	// InVain is the cost that this limit charged for requests that another limit refused. It is nil if it is unknown,
	// because one call of a user's script decided by all limits.
	InVain *int64 `json:"in_vain,omitempty"`
}

// value returns a figure by the name of its measure.
func (l *LimitFigures) value(measure string) Value {
	switch measure {
	case "refused":
		return Known(l.Refused)
	case "refused_alone":
		return Known(l.RefusedAlone)
	case "peak":
		return Known(l.Peak)
	case "x_limit":
		return Known(l.XLimit)
	}
	if l.InVain == nil {
		return Value{}
	}
	return Known(*l.InVain)
}

// Several has a row's figures for several limits.
type Several struct {
	Limits  []LimitFigures `json:"limits,omitempty"`
	Refused *int64         `json:"several_refused,omitempty"` // requests that more than one of the limits refused
}

// View is a request as one of several limits sees it. Number is the number of the limit's part of the key.
type View struct {
	limit.Request
	Number int64
}

// LimitMeters measure a row, or the reference, by each of several limits. They are not safe for concurrent use.
type LimitMeters struct {
	limits         []limit.Limit
	meters         []*Meter
	tallies        []LimitTally
	countsRequests bool // all limits count requests, so the measure lost counts requests, too
	several        int64
}

// NewLimitMeters returns meters for a run of the given duration; see NewMeter. If scales is true, they also measure the
// most admitted in intervals of each length of TimeScales.
func NewLimitMeters(limits []limit.Limit, duration time.Duration, scales bool) *LimitMeters {
	m := &LimitMeters{limits: limits, tallies: make([]LimitTally, len(limits)), countsRequests: true}
	for i, l := range limits {
		m.meters = append(m.meters, NewMeter(l.Policy, duration))
		if scales && l.Contract != limit.ByFlight {
			m.meters[i].WatchScales(TimeScales(l.WindowUS()))
		}
		m.tallies[i].Name = l.Name
		m.countsRequests = m.countsRequests && l.CountsRequests
	}
	return m
}

// Exact returns the decision of the exact limiter of several limits: it admits a request if each limit's exact limiter
// has room, and then charges all of them. views are the request as each limit sees it.
func (m *LimitMeters) Exact(views []View) limit.Decision {
	d := limit.Admitting()
	for i, v := range views {
		meter, one := m.meters[i], limit.Decision{Verdict: limit.Rejected}
		meter.timeline.moveTo(v.AtUS, meter.windows) // before fits, as in Reference.Admit
		if meter.fits(v.Request, v.Number) {
			one.Verdict = limit.Allowed
		}
		d.Join(i, one)
	}
	if !d.Allowed() {
		d.Charged = 0
	}
	return d
}

// Observe records the decision on a request of that cost.
func (m *LimitMeters) Observe(views []View, cost int64, d limit.Decision) {
	if m.countsRequests {
		cost = 1
	}
	if d.Refused.Several() {
		m.several++
	}
	for i, v := range views {
		m.meters[i].Observe(v.Request, v.Number, d)
		t := &m.tallies[i]
		if d.Refused.Has(i) {
			t.Refused++
			if !d.Refused.Several() {
				t.RefusedAlone++
			}
		}
		if d.Allowed() {
			t.paid.Add(v.Number, cost)
		} else if d.Charged.Has(i) {
			t.InVain += v.Cost
		}
	}
}

// Unseen records a request that the reference has admitted, but the row has not decided, because it has stopped.
func (m *LimitMeters) Unseen(views []View, cost int64) {
	if m.countsRequests {
		cost = 1
	}
	for i, v := range views {
		m.tallies[i].unseen.Add(v.Number, cost)
	}
}

// LimitTally has the observations about one of several limits. Tallies of disjoint keys can be added.
type LimitTally struct {
	Name                          string
	Refused, RefusedAlone, InVain int64
	Peak, Excess                  int64
	XLimit                        float64
	Series                        Series
	MostAdmitted                  []int64 // for each of its TimeScales
	Keys                          int64   // the number of the limit's keys
	LostCost, ExactCost           int64   // summed over the limit's keys: see Result.Lost

	paid, unseen Ledger
}

// plus adds the observations of other keys.
func (t LimitTally) plus(o LimitTally) LimitTally {
	return LimitTally{Name: t.Name, Refused: t.Refused + o.Refused, RefusedAlone: t.RefusedAlone + o.RefusedAlone,
		InVain: t.InVain + o.InVain, Peak: max(t.Peak, o.Peak), Excess: t.Excess + o.Excess,
		XLimit: max(t.XLimit, o.XLimit), Series: t.Series.plus(o.Series),
		MostAdmitted: joined(t.MostAdmitted, o.MostAdmitted, larger), Keys: t.Keys + o.Keys,
		LostCost: t.LostCost + o.LostCost, ExactCost: t.ExactCost + o.ExactCost}
}

// Complete adds the figures of the limits to a row's tally. duration is the duration of the run. exact has the meters
// of the reference, or is nil. keys has the number of distinct keys of each limit. All series are at least as long as
// reach, in µs. No other method may be called after Complete.
func (m *LimitMeters) Complete(t *Tally, exact *LimitMeters, duration time.Duration, reach int64, keys []int64) error {
	t.SeveralRefused = m.several
	for i, l := range m.limits {
		one := m.tallies[i]
		m.meters[i].Reach(reach)
		mine, err := m.meters[i].Tally(duration, nil, nil)
		if err != nil {
			return fmt.Errorf("limit %s: %w", one.Name, err)
		}
		c := &mine.Counts
		one.Peak, one.Excess, one.XLimit, one.Series, one.Keys = c.Peak, c.Excess, c.XLimit, mine.Series, keys[i]
		one.MostAdmitted = mine.MostAdmitted
		if l.Contract != limit.ByBucket {
			one.XLimit = float64(one.Peak) / float64(l.Requests)
		}
		if exact != nil {
			paid := exact.tallies[i].paid.Less(&one.unseen)
			one.LostCost, one.ExactCost = lost(paid, &one.paid), paid.total()
		}
		t.Limits = append(t.Limits, one)
	}
	return nil
}

// byLimits sets the figures of r that depend on the limits. The limit with the largest x_limit gives the peak and the
// excess. The limit with the fewest keys gives the lost share.
func (t *Tally) byLimits(r *Result) {
	worst, fewest := &t.Limits[0], &t.Limits[0]
	for i := range t.Limits {
		if one := &t.Limits[i]; one.XLimit > worst.XLimit {
			worst = one
		}
		if one := &t.Limits[i]; one.Keys < fewest.Keys {
			fewest = one
		}
	}
	r.Peak, r.XLimit, r.Excess = worst.Peak, worst.XLimit, worst.Excess
	r.Lost = ratio(fewest.LostCost, fewest.ExactCost).Number
}

// Several returns the figures of several limits, or nil if there is one limit.
func (t *Tally) Several() *Several {
	if t.Limits == nil {
		return nil
	}
	s := &Several{Refused: &t.SeveralRefused}
	for i := range t.Limits {
		one := &t.Limits[i]
		s.Limits = append(s.Limits, LimitFigures{one.Name, one.Refused, one.RefusedAlone, one.Peak, one.XLimit,
			&one.InVain})
	}
	return s
}

// LimitSeries returns the series of each of several limits.
func (t *Tally) LimitSeries() (all []Series) {
	for i := range t.Limits {
		all = append(all, t.Limits[i].Series)
	}
	return all
}

// LimitMost returns, for each of several limits, the most admitted in any interval of each length.
func (t *Tally) LimitMost() (all [][]int64) {
	for i := range t.Limits {
		all = append(all, t.Limits[i].MostAdmitted)
	}
	return all
}

// Excess returns the excess of r, or the sum of the excesses of several limits.
func (t *Tally) Excess(r Result) (sum int64) {
	for i := range t.Limits {
		sum += t.Limits[i].Excess
	}
	return max(sum, r.Excess)
}
