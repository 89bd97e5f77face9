package benchchart

import "ratelab/internal/benchresult"

// moment is an interval of a scenario's time, accepted and rejected together.
type moment struct {
	startUS, widthUS float64
	requests         int64 // over all rounds
	p50US, p99US     float64
}

// mostMoments is how many intervals a panel can show; more are joined.
const mostMoments = 120

func momentsOf(intervals []benchresult.Interval) []moment {
	join := (len(intervals) + mostMoments - 1) / mostMoments
	var all []moment
	for start := 0; start < len(intervals); start += join {
		part := intervals[start:min(start+join, len(intervals))]
		merged := benchresult.NewHistogram()
		m := moment{startUS: float64(part[0].StartUS)}
		for _, interval := range part {
			merged.Merge(interval.Latency.Accepted.Response.Histogram)
			merged.Merge(interval.Latency.Rejected.Response.Histogram)
			m.widthUS += float64(interval.WidthUS)
		}
		if m.requests = merged.TotalCount(); m.requests > 0 {
			m.p50US, m.p99US = float64(merged.ValueAtPercentile(50)), float64(merged.ValueAtPercentile(99))
		}
		all = append(all, m)
	}
	return all
}

// course is one algorithm's way through a scenario.
type course struct {
	label   string
	rounds  int
	moments []moment
}

// perS is the requests per second of one round.
func (c course) perS(m moment) float64 {
	return float64(m.requests) / float64(max(c.rounds, 1)) / m.widthUS * 1e6
}

// coursesOf leaves out the control: its latencies are in the distributions.
func coursesOf(run *benchresult.Play) []course {
	var all []course
	for _, row := range run.Rows {
		if row.Algorithm != control || len(run.Rows) == 1 {
			all = append(all, course{row.Algorithm, len(row.Rounds), momentsOf(row.Open.Intervals)})
		}
	}
	return all
}

// extent is what the panels' axes have to hold.
type extent struct{ low, high, spanUS, perS float64 }

func extentOf(courses []course) extent {
	var e extent
	for _, c := range courses {
		for _, m := range c.moments {
			e.spanUS = max(e.spanUS, m.startUS+m.widthUS)
			e.perS = max(e.perS, c.perS(m))
			if m.requests == 0 {
				continue
			}
			if e.low == 0 || m.p50US < e.low {
				e.low = m.p50US
			}
			e.high = max(e.high, m.p99US)
		}
	}
	e.low = max(e.low, benchresult.LowestUS)
	return e
}

// stretches are the moments with requests, split where there were none.
func stretches(moments []moment) [][]moment {
	var all [][]moment
	open := false
	for _, m := range moments {
		switch {
		case m.requests == 0:
			open = false
		case open:
			all[len(all)-1] = append(all[len(all)-1], m)
		default:
			all, open = append(all, []moment{m}), true
		}
	}
	return all
}
