package algorithms

import (
	"strconv"
	"time"

	"pgregory.net/rapid"

	"ratelab/algorithms/algotest"
	"ratelab/internal/limit"
)

// story is a random sequence of requests for one key, and what a model decided.
type story struct {
	in     Rule
	policy limit.Policy
	steps  []event
}

// event is one request and its decision; atUS is absolute.
type event struct {
	atUS, cost int64
	limit.Decision
}

var storyWindows = []time.Duration{time.Millisecond, 1500 * time.Microsecond, 7777 * time.Microsecond,
	10 * time.Millisecond, 3 * time.Second}

// drawInstance draws a small limit for the algorithm, and its parameters.
func drawInstance(t *rapid.T, name string) (Rule, limit.Policy) {
	p := limit.Policy{
		Requests: rapid.Int64Range(1, 7).Draw(t, "requests"),
		Window:   rapid.SampledFrom(storyWindows).Draw(t, "window"),
		Burst:    rapid.Int64Range(0, 9).Draw(t, "burst"),
	}
	return drawParameters(t, name, p), p
}

// drawParameters draws, under a limit, what the algorithm declares: numbers at the low end of their range, where small
// limits feel them, and durations like those of the windows. The limit draws the capacity, and each law the clock.
// Where what was drawn does not go together, the defaults stand.
func drawParameters(t *rapid.T, name string, p limit.Policy) Rule {
	set := map[string]string{}
	for _, own := range registered[name].Parameters {
		if own.Role == Capacity || own.Kind != Integer && own.Kind != Duration || !rapid.Bool().Draw(t, own.Name) {
			continue
		}
		if own.Kind == Integer {
			set[own.Name] = strconv.FormatInt(rapid.Int64Range(own.Low, min(own.High, own.Low+11)).Draw(t,
				own.Name+"'s value"), 10)
		} else {
			set[own.Name] = limit.FormatDuration(rapid.SampledFrom(storyWindows).Draw(t, own.Name+"'s value"))
		}
	}
	for {
		choice, err := Choose(name, set)
		if err != nil {
			t.Fatal(err)
		}
		in, err := choice.Under(p)
		if err == nil {
			return in
		}
		if len(set) == 0 {
			t.Fatal(err)
		}
		set = nil
	}
}

// drawStory lets a model decide random requests. Many come when the answer before said that something changes.
func drawStory(t *rapid.T, name string) story {
	in, p := drawInstance(t, name)
	s := story{in: in, policy: p}
	l := in.NewModel()
	at := algotest.StartUS + rapid.Int64Range(0, 2*p.WindowUS()).Draw(t, "start")
	for range rapid.IntRange(1, 40).Draw(t, "steps") {
		e := event{atUS: at, cost: drawCost(t, p)}
		e.Decision = l.Decide(e.atUS, e.atUS, "k", e.cost)
		s.steps = append(s.steps, e)
		at += drawPause(t, p, e.Decision)
	}
	return s
}

func drawCost(t *rapid.T, p limit.Policy) int64 {
	if rapid.IntRange(0, 2).Draw(t, "more than one") > 0 {
		return 1
	}
	return rapid.Int64Range(1, max(p.Requests, p.Capacity())+1).Draw(t, "cost")
}

func drawPause(t *rapid.T, p limit.Policy, d limit.Decision) int64 {
	switch rapid.IntRange(0, 5).Draw(t, "pause") {
	case 0:
		return 0
	case 1:
		return max(0, d.RetryAfterUS)
	case 2:
		return max(0, d.ResetAfterUS-1)
	case 3:
		return rapid.Int64Range(0, 2*p.WindowUS()).Draw(t, "long")
	}
	return rapid.Int64Range(0, 2*p.WindowUS()/p.Requests).Draw(t, "short")
}

// after replays the first n steps on a new model, and gives it.
func (s *story) after(n int) limit.Model {
	l := s.in.NewModel()
	for _, e := range s.steps[:n] {
		l.Decide(e.atUS, e.atUS, "k", e.cost)
	}
	return l
}

// at asks the model for one more request after the first n steps.
func (s *story) at(n int, atUS, cost int64) limit.Decision {
	return s.after(n).Decide(atUS, atUS, "k", cost)
}

// flood makes n requests at once, and after each rejection goes on when something is back.
func flood(l limit.Model, at, n int64) (all []limit.Decision) {
	for range n {
		d := l.Decide(at, at, "k", 1)
		all = append(all, d)
		at += d.RetryAfterUS
	}
	return all
}

// admitted gives what was admitted.
func (s *story) admitted() []event {
	var all []event
	for _, e := range s.steps {
		if e.Allowed() {
			all = append(all, e)
		}
	}
	return all
}

// intervals calls f for every stretch from one admitted request to another: its length and the cost admitted in it.
func (s *story) intervals(f func(tauUS, admitted int64)) {
	all := s.admitted()
	for i := range all {
		sum := int64(0)
		for _, e := range all[i:] {
			sum += e.cost
			f(e.atUS-all[i].atUS, sum)
		}
	}
}

// capacity is the most that a rested limiter admits at once.
func (s *story) capacity() int64 {
	return s.in.NewModel().Decide(algotest.StartUS, algotest.StartUS, "k", 1).Remaining + 1
}

// tickUS is the step in which the algorithm's times are exact.
func (s *story) tickUS() int64 {
	if s.in.Algorithm.Traits.TTLRule {
		return 1000
	}
	return 1
}
