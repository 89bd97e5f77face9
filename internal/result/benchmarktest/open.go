package benchmarktest

import (
	"slices"

	"ratelab/internal/result"
)

// open plays all rounds.
func (s *situation) open(p *profile, d draw) result.Latency {
	offered := rounds * s.seconds * s.perSecond
	open := result.Latency{
		Offered: offered, Sent: offered, IntendedPerS: float64(s.perSecond),
		AchievedPerS: float64(s.perSecond) * 0.99997,
		Outcomes:     result.NewOutcomes(), Intervals: s.intervals(),
	}
	var serverUS []float64
	for n := 1; n <= rounds; n++ {
		round := s.round(p, d, n, &open)
		open.Admitted += round.Admitted
		open.Rejected += round.Rejected
		serverUS = append(serverUS, *round.ServerUSPerCall)
		open.Rounds = append(open.Rounds, round)
	}
	open.ServerUSPerCall = new(result.Median(serverUS))
	return open
}

func (s *situation) intervals() []result.Interval {
	var list []result.Interval
	for start := int64(0); start < s.seconds*1_000_000; start += intervalUS {
		list = append(list, result.Interval{StartUS: start, WidthUS: intervalUS})
	}
	return list
}

// round plays one round into open.
func (s *situation) round(p *profile, d draw, n int, open *result.Latency) result.Round {
	own := result.NewOutcomes()
	for second := range s.seconds {
		quota := s.quota(p, second)
		for i := range s.perSecond {
			interval := &open.Intervals[s.dueUS(second, i)/intervalUS]
			s.request(p, d, i, i < quota, interval, &own, &open.Outcomes)
		}
	}
	all := own.Overall()
	admitted, rejected := own.Admitted.Response.TotalCount(), own.Rejected.Response.TotalCount()
	share := float64(admitted) / float64(admitted+rejected)
	differs := rejected / 1000
	return result.Round{
		Round: n, Position: position(p, n), StartedUS: int64(n-1)*23_000_000 + int64(position(p, n))*3_100_000,
		Admitted: admitted, Rejected: rejected, DiffersFromVirtual: &differs,
		ServerUSPerCall: d.near(share*p.admittedUS + (1-share)*p.rejectedUS),
		ServiceP50US:    float64(all.Service.ValueAtPercentile(50)),
		ResponseP50US:   float64(all.Response.ValueAtPercentile(50)),
		ResponseP99US:   float64(all.Response.ValueAtPercentile(99)), LagP99US: float64(all.Lag.ValueAtPercentile(99)),
	}
}

// request records the i-th request of a second. Requests of a burst wait for the connections.
func (s *situation) request(p *profile, d draw, i int64, admitted bool, interval *result.Interval,
	into ...*result.Outcomes) {
	serverUS := p.rejectedUS
	if admitted {
		serverUS = p.admittedUS
	}
	lag, wait := d.around(29, 0.38), d.around(3, 0.3)
	if s.atOnce {
		wait = d.around(3+float64(i)*(serverUS+11)*0.9, 0.05)
	}
	service := d.around(31+serverUS*2.2, 0.26)
	answered := &interval.Rejected
	if admitted {
		answered = &interval.Admitted
	}
	if *answered == nil {
		*answered = result.NewHistogram()
	}
	_ = (*answered).RecordValue(lag + wait + service)
	for _, o := range into {
		if admitted {
			record(&o.Admitted, lag, wait, service)
		} else {
			record(&o.Rejected, lag, wait, service)
		}
	}
}

// course returns the course of all rounds. Each round admits the first requests of every second.
func (s *situation) course(p *profile) *result.Course {
	n := s.seconds * 1_000_000 / bucketUS
	c := &result.Course{BucketUS: bucketUS, Offered: make([]int64, n), Admitted: make([]int64, n),
		Rolling: make([]int64, n)}
	for second := range s.seconds {
		quota := s.quota(p, second)
		for i := range s.perSecond {
			k := s.dueUS(second, i) / bucketUS
			c.Offered[k] += rounds
			if i < quota {
				c.Admitted[k] += rounds
			}
		}
	}
	window := s.limit.WindowUS / bucketUS
	for k := range n {
		for j := max(0, k-window+1); j <= k; j++ {
			c.Rolling[k] += c.Admitted[j] / rounds
		}
	}
	return c
}

// quota returns how many requests a round admits in a second.
func (s *situation) quota(p *profile, second int64) int64 {
	admitted, _, _, _ := s.admitted(p)
	quota := admitted / s.seconds
	if second < admitted%s.seconds {
		quota++
	}
	return quota
}

// dueUS returns when the i-th request of a second is due.
func (s *situation) dueUS(second, i int64) int64 {
	if s.atOnce {
		return second * 1_000_000
	}
	return second*1_000_000 + i*1_000_000/s.perSecond
}

// position returns the place of p in round n. Each round begins with another profile.
func position(p *profile, n int) int {
	all := profiles()
	at := slices.IndexFunc(all, func(other profile) bool { return other.label == p.label })
	return 1 + (at+n-1)%len(all)
}
