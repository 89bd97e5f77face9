package scenario

import (
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/strictyaml"
)

// readFaults reads what befalls limits and server. Both are about true time, and about requests that are sent once.
func readFaults(f strictyaml.Fields, s *Scenario) {
	if v, ok := f.Get("managed"); ok {
		s.Managed = readManaged(v, lastMoment(s.Phases))
		alone(v, s)
	}
	if v, ok := f.Get("server_outage"); ok {
		s.Outages = readOutages(v, lastMoment(s.Phases))
		alone(v, s)
	}
}

// alone refuses faults beside what makes requests of each row's own.
func alone(v strictyaml.Value, s *Scenario) {
	if s.Reactive() {
		v.Bad("does not go with clients, server_clock or sequences; leave one of them out")
	}
}

// readManaged reads steps such as [{at: 2s, do: delete}, {at: 4s, do: init}].
func readManaged(v strictyaml.Value, end time.Duration) []limit.ManagedStep {
	items, ok := v.List("a list of steps such as [{at: 2s, do: delete}, {at: 4s, do: init}]", maxSteps)
	if !ok {
		return nil
	}
	steps := make([]limit.ManagedStep, len(items))
	var before time.Duration
	for i, item := range items {
		f, ok := item.Fields("at", "do")
		if !ok {
			continue
		}
		if v, ok := f.Need("at", "when it happens, since the start, such as 2s"); ok {
			at, ok := readDuration(v, 0, end)
			if ok && i > 0 && at <= before {
				v.Bad("%s is not after the step before, at %s; want steps in the order of time", days(at), days(before))
			}
			steps[i].AtUS, before = at.Microseconds(), max(at, before)
		}
		if v, ok := f.Need("do", "delete or init"); ok {
			do, _ := v.Choice("delete", "init")
			steps[i].Deletes = do == "delete"
		}
	}
	return steps
}

// readOutages reads times such as [{at: 3s, for: 1s}].
func readOutages(v strictyaml.Value, end time.Duration) []limit.Outage {
	items, ok := v.List("a list of outages such as [{at: 3s, for: 1s}]", maxSteps)
	if !ok {
		return nil
	}
	outages := make([]limit.Outage, len(items))
	var before time.Duration
	for i, item := range items {
		f, ok := item.Fields("at", "for")
		if !ok {
			continue
		}
		var at, lasts time.Duration
		if v, ok := f.Need("at", "when it begins, since the start, such as 3s"); ok {
			at, ok = readDuration(v, 0, end)
			if ok && i > 0 && at < before {
				v.Bad("%s is before the end of the outage before, at %s; want outages in the order of time", days(at),
					days(before))
			}
		}
		if v, ok := f.Need("for", "how long it lasts, such as 1s"); ok {
			lasts, _ = readDuration(v, time.Microsecond, maxDuration)
		}
		outages[i] = limit.Outage{FromUS: at.Microseconds(), UntilUS: (at + lasts).Microseconds()}
		before = max(before, at+lasts)
	}
	return outages
}
