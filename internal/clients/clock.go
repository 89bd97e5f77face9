package clients

import "time"

// Step is a jump of the server's clock.
type Step struct {
	AtUS int64 // the true time of the step, since the scenario's start
	ByUS int64 // negative: back
}

// ServerClock holds the steps of the server's clock, in order. The clock is correct before the first step.
type ServerClock []Step

// SkewUS returns the clock's error at a true time: the sum of all steps up to and including that time.
func (c ServerClock) SkewUS(nowUS int64) int64 {
	var skew int64
	for _, s := range c {
		if s.AtUS <= nowUS {
			skew += s.ByUS
		}
	}
	return skew
}

// Behind returns the largest time by which the clock is ever behind the true time.
func (c ServerClock) Behind() time.Duration {
	var skewUS, least int64
	for _, s := range c {
		skewUS += s.ByUS
		least = min(least, skewUS)
	}
	return time.Duration(-least) * time.Microsecond
}

// Client is one client of a group.
type Client struct {
	Number int64 // among all clients, from 0
	Group  *Group

	state              *groupState
	offsetUS, driftPPM int64
}

// SkewUS returns the error of the client's clock at a true time: its offset plus its drift since the scenario's start,
// rounded down.
func (c *Client) SkewUS(nowUS int64) int64 {
	millionths := nowUS * c.driftPPM
	return c.offsetUS + (millionths-(millionths%1e6+1e6)%1e6)/1e6
}

// MaxDriftPPM is the largest drift in either direction. A year in microseconds, multiplied by it, still fits into an
// int64.
const MaxDriftPPM = 100_000
