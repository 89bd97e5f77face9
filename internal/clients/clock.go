package clients

import "time"

// Step is a jump of the server's clock.
type Step struct {
	AtUS int64 // in true time, since the scenario's start
	ByUS int64 // negative: back
}

// ServerClock is the steps of the server's clock, in the order of their times. The clock is right before the first.
type ServerClock []Step

// SkewUS is how far the clock is off at a true time: the sum of the steps until then, one at that very time included.
func (c ServerClock) SkewUS(nowUS int64) int64 {
	var skew int64
	for _, s := range c {
		if s.AtUS <= nowUS {
			skew += s.ByUS
		}
	}
	return skew
}

// Behind is how far the clock is behind the true time at the worst.
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

// SkewUS is how far the client's clock is off at a true time: its offset, and what it has drifted since the scenario's
// start, rounded towards the past.
func (c *Client) SkewUS(nowUS int64) int64 {
	millionths := nowUS * c.driftPPM
	return c.offsetUS + (millionths-(millionths%1e6+1e6)%1e6)/1e6
}

// MaxDriftPPM is the largest drift, either way: times of a year in microseconds, multiplied by it, are still an int64.
const MaxDriftPPM = 100_000
