package tune

import (
	"fmt"
	"strings"
	"time"

	"ratelab/internal/limit"
)

// configure writes the chosen setting as others take it. Of those that know GCRA only it is the best of gcra's that
// keeps the wishes.
func (d *Document) configure() error {
	if d.Chosen == nil {
		return nil
	}
	own, err := script(d.Rows[*d.Chosen].Setting())
	if err != nil {
		return err
	}
	d.Configurations = append(d.Configurations, own)
	gcra := d.best(func(r *Row) bool {
		return r.Keeps && (r.Algorithm == "gcra" || r.Algorithm == "token-bucket") // which decide alike
	}, d.chosenFirst)
	if gcra == nil {
		d.Notes = append(d.Notes, "no setting of gcra that was tried keeps the wishes, and redis_rate and nginx know "+
			"no other algorithm: there is no configuration of theirs")
		return nil
	}
	p := d.Rows[*gcra].Setting().Policy
	d.Configurations = append(d.Configurations, redisRate(p), nginx(p, d.unitCost()))
	return nil
}

// unitCost reports whether every request costs 1.
func (d *Document) unitCost() bool { return d.Traffic.Requests == d.Traffic.Cost }

// script is the call of the script of the setting's algorithm, in the words of a binding.
func script(s Setting) (Configuration, error) {
	in, err := s.Instance()
	if err != nil {
		return Configuration{}, err
	}
	now, clock := "", "the server's clock decides: ARGV[1] is empty"
	if in.ClientTime {
		now, clock = "{now_us}", "the client's clock decides: ARGV[1] is its time"
	}
	call := func(args []string) string {
		return `args: ["` + strings.Join(append([]string{now, "{cost}"}, args...), `", "`) + `"]`
	}
	text := fmt.Sprintf("keys: [\"%s:{key}\"]\n", s.Algorithm)
	if in.Init != nil {
		text += "# once for each key: " + call(in.Init) + "\n"
	}
	return Configuration{For: "lua/" + s.Algorithm + ".lua", Text: text + call(in.Args),
		Differs: "nothing: it is what decided here; " + clock}, nil
}

// redisRate is a setting of gcra for the Go library.
func redisRate(p limit.Policy) Configuration {
	return Configuration{For: "redis_rate",
		Text: fmt.Sprintf("redis_rate.Limit{Rate: %d, Burst: %d, Period: %s}", p.Requests, p.Capacity(),
			goDuration(p.Window)),
		Differs: "the same GCRA, in floating-point seconds: a request that comes at the instant of its permit may be " +
			"decided either way"}
}

// goDuration writes a window as Go does.
func goDuration(d time.Duration) string {
	for _, unit := range []struct {
		d    time.Duration
		name string
	}{{time.Hour, "time.Hour"}, {time.Minute, "time.Minute"}, {time.Second, "time.Second"},
		{time.Millisecond, "time.Millisecond"}, {time.Microsecond, "time.Microsecond"}} {
		if d == unit.d {
			return unit.name
		}
		if d%unit.d == 0 {
			return fmt.Sprintf("%d * %s", d/unit.d, unit.name)
		}
	}
	return d.String()
}

// nginx is a setting of gcra for limit_req. A rate is whole requests a second or a minute there, and a burst is what
// comes on top of the first request.
func nginx(p limit.Policy, unitCost bool) Configuration {
	c := Configuration{For: "nginx limit_req"}
	perSecond, inSecond := times(p, time.Second)
	perMinute, inMinute := times(p, time.Minute)
	rate, rounded := "", ""
	switch {
	case !unitCost:
		c.Differs = "not to be had: limit_req knows no costs"
		return c
	case perMinute == 0:
		c.Differs = "not to be had: a rate is at least 1r/m"
		return c
	case inSecond:
		rate = fmt.Sprintf("%dr/s", perSecond)
	default:
		rate = fmt.Sprintf("%dr/m", perMinute)
		if !inMinute {
			rounded = "the rate is rounded down to whole requests a minute; "
		}
		if kept := perMinute * 1000 / 60; kept*60 < perMinute*1000 {
			rounded += fmt.Sprintf("it keeps the rate as %d thousandths of a request a second, %g a minute; ", kept,
				float64(kept*60)/1000)
		}
	}
	c.Text = fmt.Sprintf("limit_req_zone $binary_remote_addr zone=perclient:10m rate=%s;\n"+
		"limit_req zone=perclient burst=%d nodelay;", rate, p.Capacity()-1)
	c.Differs = rounded + "burst is what comes on top of the first request; it counts thousandths of a request, by " +
		"the millisecond; each server has a zone of its own, so that n of them admit n times as much; without " +
		"nodelay it delays"
	return c
}

// times is how many requests a rate brings in a time, rounded down, and whether that is all.
func times(p limit.Policy, d time.Duration) (n int64, whole bool) {
	us, permits := p.Interval()
	all := permits * d.Microseconds() // at most 10^9 · 6·10^7
	return all / us, all%us == 0
}
