package examine

import (
	"fmt"

	"ratelab/internal/report"
)

// atOnce asks for twice the burst at one instant. If all are admitted, it asks for far more. If all are admitted again,
// it sends them 1 ms apart: a script whose log entries collide within 1 ms still has a limit.
func (x *examination) atOnce() error {
	volleyOf := func(n int64) *play { return play{volleys: []volley{{n: n, stepUS: x.stepUS}}}.expanded() }
	passed := func(asked int64) (int64, error) {
		all, err := x.decide(x.limiter, []*play{volleyOf(asked)})
		if err != nil {
			return 0, err
		}
		return all[0].admitted(0), nil
	}
	asked := 2*x.burst + 2
	n, err := passed(asked)
	if err == nil && n == asked {
		asked = 10*x.burst + 100
		n, err = passed(asked)
	}
	if err != nil {
		return err
	}
	x.admits = n
	refilled := int64(float64(asked*x.stepUS) / x.tokenUS())
	switch {
	case n == asked:
		x.admits, asked = 0, 2*x.burst+2
		more := ""
		if x.stepUS = millisecond; asked*x.stepUS < x.fillUS/4 {
			few, err := passed(asked)
			if err != nil {
				return err
			}
			if few > 0 && few < asked {
				x.admits, more = few, fmt.Sprintf(", though only %d when they come a millisecond apart", few)
			}
		}
		x.stepUS = 1
		shown := volleyOf(x.burst + 1)
		x.stepUS = millisecond
		x.say(fault, "no_limit", shown, "admits all of %d requests at once, and the limit is %d%s", asked,
			x.burst, more)
	case n == 0:
		x.say(fault, "admits_none", volleyOf(1), "admits none of %d requests at once", asked)
	case n == x.burst-1, n > x.burst+refilled && n == x.burst+1:
		x.say(fault, "off_by_one", volleyOf(min(n, x.burst)+1), "admits %d at once, and the limit is %d", n, x.burst)
	case n > x.burst+refilled:
		x.say(fault, "more_at_once", volleyOf(x.burst+1), "admits %d at once, and the limit is %d", n, x.burst)
	case n < x.burst:
		x.say(property, "less_at_once", volleyOf(n+1), "admits %d at once, and the limit is %d", n, x.burst)
	}
	return nil
}

// apart floods one key, and then sends one request for another key.
func (x *examination) apart() error {
	flood := play{volleys: []volley{{n: 2*x.burst + 1, stepUS: x.stepUS}, {n: 1, other: true}}}.expanded()
	all, err := x.decide(x.limiter, []*play{flood})
	if err == nil && all[0].admitted(len(flood.asks)-1) == 0 {
		shown := play{volleys: []volley{{n: x.admits, stepUS: x.stepUS}, {n: 1, other: true}}}.expanded()
		x.say(fault, "shares_keys", shown, "rejects a client's first request once another client has used its limit")
	}
	return err
}

// keys examines the keys that remain after one request, and after a full volley. If the script takes a cost, it also
// examines the keys after one request that costs the burst, and after one that costs one more.
func (x *examination) keys() error {
	plays := []*play{play{volleys: []volley{{n: 1}}}.expanded(),
		play{volleys: []volley{{n: x.burst + 1, stepUS: x.stepUS}}}.expanded()}
	if x.takesCost() && x.burst > 1 {
		plays = append(plays, play{volleys: []volley{{n: 1, cost: x.burst}}}.expanded(),
			play{volleys: []volley{{n: 1, cost: x.burst + 1}}}.expanded())
	}
	for i, p := range plays {
		all, err := x.decide(x.limiter, []*play{p})
		if err != nil {
			return err
		}
		lives := x.left.EndUS - all[0].startUS - p.asks[len(p.asks)-1].AtUS
		if i == 1 && x.left.WithoutTTL == 0 {
			x.livesUS = lives
		}
		switch {
		case x.left.WithoutTTL == 0:
		case x.limiter.Program.Init != nil && !x.has("keeps_configuration"):
			x.say(property, "keeps_configuration", p, "a key that has been set up has no TTL, and stays until it is "+
				"deleted")
		case x.limiter.Program.Init == nil && !x.has("never_expires"):
			x.say(fault, "never_expires", p, "after %s a key has no TTL", inWords(p))
		}
		needed := 2 * max(x.windowUS, x.fillUS)
		if lives > 5*needed+10*second && !x.has("expires_in_long", "never_expires") {
			kind, forYears := "expires_in_long", lives > max(365*24*3600*second, 1000*needed)
			if forYears { // as bad as no TTL: each new client takes memory that is never freed
				kind = "never_expires"
			}
			x.say(forYears, kind, p, "after %s a key lives for %s, and is needed for %s at most",
				inWords(p), report.Span(lives), report.Span(needed))
		}
		if i == 0 {
			x.cluster()
		}
	}
	return nil
}
