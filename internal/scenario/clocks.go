package scenario

import (
	"math"
	"strconv"
	"time"

	"github.com/zeebo/xxh3"

	"ratelab/internal/clients"
	"ratelab/internal/limit"
	"ratelab/internal/strictyaml"
	"ratelab/internal/traffic"
)

const (
	maxSteps     = 1000
	maxSequences = 100
)

// readServerClock reads steps such as [{at: 10s, step: -5s}]. No step is later than end, the end of the phases.
func readServerClock(v strictyaml.Value, end time.Duration) (clock clients.ServerClock) {
	const when = "when the clock steps, in true time since the start, such as 10s"
	var total time.Duration
	readTimes(v, "a list of steps such as [{at: 10s, step: -5s}]", when, "step", end,
		func(f strictyaml.Fields, atUS int64) {
			var step time.Duration
			v := f.Need("step", "how far the clock jumps, such as -5s")
			ok := readDuration(v, &step, -maxOffset, maxOffset)
			if total += step; ok && step == 0 {
				v.Bad("a step of 0s changes nothing; leave it out")
			} else if total > maxOffset || total < -maxOffset {
				v.Bad("with this step the clock is off by %s; want at most %s either way", days(total), days(maxOffset))
			}
			clock = append(clock, clients.Step{AtUS: atUS, ByUS: step.Microseconds()})
		})
	return clock
}

// readTimes reads a list of events in the order of time. field is the name of their second field.
func readTimes(v strictyaml.Value, want, when, field string, end time.Duration,
	read func(f strictyaml.Fields, atUS int64)) {
	var before time.Duration
	for i, item := range v.List(want, maxSteps) {
		f := item.Fields("at", field)
		var at time.Duration
		v := f.Need("at", when)
		if readDuration(v, &at, 0, end) && i > 0 && at <= before {
			v.Bad("%s is not after the step before, at %s; want steps in the order of time", days(at), days(before))
		}
		before = max(at, before)
		read(f, at.Microseconds())
	}
}

// readFaults reads managed and server_outage. Both need correct clocks, and requests that are sent once.
func readFaults(f strictyaml.Fields, s *Scenario) {
	end := lastMoment(s.Phases)
	readTimes(f.Get("managed"), "a list of steps such as [{at: 2s, do: delete}, {at: 4s, do: init}]",
		"when it happens, since the start, such as 2s", "do", end, func(f strictyaml.Fields, atUS int64) {
			do := ""
			strictyaml.Choice(f.Need("do", "delete or init"), &do, []string{"delete", "init"})
			s.Managed = append(s.Managed, limit.ManagedStep{AtUS: atUS, Deletes: do == "delete"})
		})
	readTimes(f.Get("crashes"), "a list of crashes such as [{at: 10m, share: 0.33}]",
		"when holders die, since the start, such as 10m", "share", end, func(f strictyaml.Fields, atUS int64) {
			c := traffic.Crash{AtUS: atUS}
			readNumber(f.Need("share", "of the open requests, the share that dies, such as 0.33"), &c.Share, 0, 1)
			// The hash chooses the same requests for all rows, whatever they admit.
			c.Dies = func(number int64) bool {
				return xxh3.HashString(strconv.FormatInt(number, 10))%1000 < uint64(math.Round(1000*c.Share))
			}
			s.Crashes = append(s.Crashes, c)
		})
	s.Outages = readOutages(f.Get("server_outage"), end)
	for _, field := range []string{"managed", "server_outage"} {
		if s.Reactive() {
			f.Get(field).Bad("does not go with clients, server_clock or sequences; leave one of them out")
		}
	}
}

// readOutages reads times such as [{at: 3s, for: 1s}].
func readOutages(v strictyaml.Value, end time.Duration) (outages []limit.Outage) {
	var before time.Duration
	for _, item := range v.List("a list of outages such as [{at: 3s, for: 1s}]", maxSteps) {
		var at, lasts time.Duration
		f := item.Fields("at", "for")
		v := f.Need("at", "when it begins, since the start, such as 3s")
		if readDuration(v, &at, 0, end) && at < before {
			v.Bad("%s is before the end of the outage before, at %s; want outages in the order of time", days(at),
				days(before))
		}
		readDuration(f.Need("for", "how long it lasts, such as 1s"), &lasts, time.Microsecond, maxDuration)
		outages = append(outages, limit.Outage{FromUS: at.Microseconds(), UntilUS: (at + lasts).Microseconds()})
		before = max(before, at+lasts)
	}
	return outages
}
