package curves

import (
	"slices"

	"ratelab/algorithms"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// Played is the chart of a scenario that was played on the wall clock. It has the offered and the admitted cost, the
// sum in the rolling window, and the response times. Times are the scenario's.
type Played struct {
	Unit          string // requests, or tokens if costs differ from 1
	Limit         result.Limit
	OneKey        bool        // all requests share one limit
	FromUS, EndUS int64       // of the time axis
	RateUS        int64       // the width of the bins of the rates
	LevelUS       int64       // the width of the bins of the rolling window
	IntervalUS    int64       // the width of the intervals of the response times; 0 if there are none
	Rows          []PlayedRow // without the floor, unless it is alone
}

// PlayedRow is one limiter's part of the chart.
type PlayedRow struct {
	Curve                               // of the rolling window, as a lower bound: the most of any round
	OfferedPerS, AdmittedPerS []float64 // cost per second in each bin, the mean of all rounds
	Admitted, Rejected        Response
}

// Response has percentiles of the time from when a request is due to its answer, over all rounds. A percentile of too
// few answers is 0.
type Response struct {
	P50US, P99US           []float64 // in each interval
	WholeP50US, WholeP99US float64   // of the whole play
}

// The smallest numbers of answers for which percentiles are shown.
const (
	LeastForP50 = 10
	LeastForP99 = 100
)

// NewPlayed returns nil if nothing was played, or the result has no course over time.
func NewPlayed(d *result.Document, run *result.Run) *Played {
	rows := playedRows(d.Plays(run))
	if run.Played == nil {
		return nil
	}
	p := &Played{Unit: "requests", Limit: run.Limit, OneKey: run.Keys <= 1, FromUS: run.Played.FromUS}
	var width, length int64
	for _, row := range rows {
		c := row.Course
		width = max(width, c.BucketUS)
		length = max(length, c.BucketUS*int64(max(len(c.Offered), len(c.Rolling))))
		for _, interval := range row.Intervals {
			p.IntervalUS = max(p.IntervalUS, interval.WidthUS)
		}
	}
	if length == 0 {
		return nil
	}
	buckets := int((length + width - 1) / width)
	p.RateUS = width * int64(joinFactor(buckets, width, maxRateBins))
	p.LevelUS = width * int64(joinFactor(buckets, width, maxBins))
	if d := run.Played.LengthUS; d > length-width && d < length {
		length = d // the last bucket extends beyond the part that is played
	}
	p.EndUS = p.FromUS + length
	for _, row := range rows {
		if row.Row.OfferedCost != row.Row.Offered {
			p.Unit = "tokens"
		}
		p.Rows = append(p.Rows, p.row(&row))
	}
	return p
}

// Window returns the part of the chart about the rolling window.
func (p *Played) Window() Timeline {
	t := Timeline{Name: "played-window", Drawing: Level, FromUS: p.FromUS, BinUS: p.LevelUS, EndUS: p.EndUS,
		Chart: Chart{Unit: p.Unit, Limit: p.Limit, Caption: "The most that is known to have been admitted for one " +
			"key in the last " + report.Each(p.Limit.WindowUS) + ", in " + p.Unit}}
	for _, row := range p.Rows {
		t.Curves = append(t.Curves, row.Curve)
	}
	return t
}

// FasterWhenBusy reports whether responses are faster under load: whether a row's median response time is at least a
// fifth shorter in the interval with the highest rate than in the one with the lowest. Intervals without a median do
// not count.
func (p *Played) FasterWhenBusy() bool {
	return slices.ContainsFunc(p.Rows, func(row PlayedRow) bool {
		var calm, busy struct{ rate, us float64 }
		for i, us := range row.Admitted.P50US {
			rate := row.OfferedPerS[min(int64(i)*p.IntervalUS/p.RateUS, int64(len(row.OfferedPerS)-1))]
			if us > 0 && (calm.us == 0 || rate < calm.rate) {
				calm.rate, calm.us = rate, us
			}
			if us > 0 && rate > busy.rate {
				busy.rate, busy.us = rate, us
			}
		}
		return busy.rate > 2*calm.rate && busy.us < 0.8*calm.us
	})
}

// LimitPerS returns the limit as a rate per second.
func (p *Played) LimitPerS() float64 {
	return float64(p.Limit.Requests) / float64(p.Limit.WindowUS) * 1e6
}

// playedRows returns the shown rows that have a course over time.
func playedRows(plays []result.Play) []result.Play {
	var all, shown []result.Play
	positive := func(n int64) bool { return n > 0 }
	for _, row := range plays {
		if row.Course == nil || row.Course.BucketUS < 1 || !slices.ContainsFunc(row.Course.Offered, positive) {
			continue
		}
		all = append(all, row)
		if !algorithms.IsFloor(row.Algorithm) {
			shown = append(shown, row)
		}
	}
	if shown == nil {
		return all
	}
	return shown
}

func (p *Played) row(of *result.Play) PlayedRow {
	c := of.Course
	r := PlayedRow{
		Curve: Curve{Label: of.Algorithm,
			Values: padded(peaks(c.Rolling, int(p.LevelUS/c.BucketUS)), p.bins(p.LevelUS))},
		OfferedPerS:  p.perS(c.Offered, c.BucketUS, len(of.Rounds)),
		AdmittedPerS: p.perS(c.Admitted, c.BucketUS, len(of.Rounds)),
		Admitted: p.response(of.Outcomes.Admitted, of.Intervals,
			func(i *result.Interval) *result.Histogram { return i.Admitted }),
		Rejected: p.response(of.Outcomes.Rejected, of.Intervals,
			func(i *result.Interval) *result.Histogram { return i.Rejected }),
	}
	r.Top = slices.Max(r.Values)
	r.Fact = Chart{Limit: p.Limit}.fact(r.Top, of.Row.XLimit)
	return r
}

// SameOffered reports whether all rows were offered the same cost in each bin.
func (p *Played) SameOffered() bool {
	return !slices.ContainsFunc(p.Rows, func(r PlayedRow) bool {
		return !slices.Equal(r.OfferedPerS, p.Rows[0].OfferedPerS)
	})
}

// bins returns the number of bins of that width on the time axis.
func (p *Played) bins(widthUS int64) int { return int((p.EndUS - p.FromUS + widthUS - 1) / widthUS) }

// perS converts sums of all rounds in buckets to rates of one round in bins.
func (p *Played) perS(sum []int64, bucketUS int64, rounds int) []float64 {
	counts := padded(sums(sum, int(p.RateUS/bucketUS)), p.bins(p.RateUS))
	rates := make([]float64, len(counts))
	for i, n := range counts {
		width := min(p.RateUS, p.EndUS-p.FromUS-int64(i)*p.RateUS)
		rates[i] = float64(n) / float64(max(rounds, 1)) / float64(width) * 1e6
	}
	return rates
}

// padded returns n values, with zeros at the end.
func padded(values []int64, n int) []int64 {
	return append(values, make([]int64, max(0, n-len(values)))...)[:n]
}

func (p *Played) response(whole result.Durations, intervals []result.Interval,
	of func(*result.Interval) *result.Histogram) Response {
	var r Response
	r.WholeP50US, r.WholeP99US = percentiles(whole.Response)
	if p.IntervalUS == 0 {
		return r
	}
	n := p.bins(p.IntervalUS)
	r.P50US, r.P99US = make([]float64, n), make([]float64, n)
	for k := range intervals {
		i := intervals[k].StartUS / p.IntervalUS
		if i >= 0 && i < int64(n) { // an interval that begins after the end has no requests
			r.P50US[i], r.P99US[i] = percentiles(of(&intervals[k]))
		}
	}
	return r
}

// percentiles returns p50 and p99, or 0 if there are too few answers.
func percentiles(h *result.Histogram) (p50US, p99US float64) {
	n := h.Count()
	if n >= LeastForP50 {
		p50US = float64(h.ValueAtPercentile(50))
	}
	if n >= LeastForP99 {
		p99US = float64(h.ValueAtPercentile(99))
	}
	return p50US, p99US
}
