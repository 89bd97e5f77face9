package scenario

import (
	"time"

	"ratelab/internal/clients"
	"ratelab/internal/message"
	"ratelab/internal/strictyaml"
	"ratelab/internal/traffic"
)

const (
	maxSteps     = 1000
	maxSequences = 100
)

// readServerClock reads steps such as [{at: 10s, step: -5s}], at most at the end of the phases.
func readServerClock(v strictyaml.Value, phases []traffic.Phase) clients.ServerClock {
	items, ok := v.List("a list of steps such as [{at: 10s, step: -5s}]", maxSteps)
	if !ok {
		return nil
	}
	end := lastMoment(phases)
	clock := make(clients.ServerClock, len(items))
	var before, total time.Duration
	for i, item := range items {
		f, ok := item.Fields("at", "step")
		if !ok {
			continue
		}
		if v, ok := f.Need("at", "when the clock steps, in true time since the start, such as 10s"); ok {
			at, ok := readDuration(v, 0, end)
			if ok && i > 0 && at <= before {
				v.Bad("%s is not after the step before, at %s; want steps in the order of time", days(at), days(before))
			}
			clock[i].AtUS, before = at.Microseconds(), max(at, before)
		}
		if v, ok := f.Need("step", "how far the clock jumps, such as -5s"); ok {
			step, ok := readDuration(v, -maxOffset, maxOffset)
			if total += step; ok && step == 0 {
				v.Bad("a step of 0s changes nothing; leave it out")
			} else if total > maxOffset || total < -maxOffset {
				v.Bad("with this step the clock is off by %s; want at most %s either way", days(total), days(maxOffset))
			}
			clock[i].ByUS = step.Microseconds()
		}
	}
	return clock
}

// lastMoment is how long the phases last together; the longest that a scenario may, where a trace tells only at its
// end.
func lastMoment(phases []traffic.Phase) time.Duration {
	var total time.Duration
	for _, p := range phases {
		if p.Trace != nil && p.Duration == 0 {
			return maxDuration
		}
		total += min(p.Duration, maxDuration)
	}
	return min(total, maxDuration)
}

// readSequences reads the labels of sequences of commands. Which there are is for the command to know.
func readSequences(v strictyaml.Value) []string {
	return readLabels(v, "a list of labels such as [read-then-increment]", maxSequences, nil)
}

// checkEpoch refuses clocks that would show a time before 1970, which no server does.
func checkEpoch(f strictyaml.Fields, s *Scenario) {
	const want = "shows a time before 1970; want a later start, or clocks that are less wrong"
	start := s.Start.UnixMicro()
	for _, g := range s.Clients {
		drift := lastMoment(s.Phases).Microseconds() / 1_000_000 * min(g.DriftPPM.Min, 0)
		if start+g.OffsetUS.Min+drift-g.DelayUS.Max < 0 {
			f.Place("clients").Bad("a clock of %s %s", message.Quote(g.Name), want)
		}
	}
	skew := int64(0)
	for _, step := range s.ServerClock {
		if skew += step.ByUS; start+skew < 0 {
			f.Place("server_clock").Bad("the server's clock %s", want)
			return
		}
	}
}
