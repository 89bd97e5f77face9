package algorithms

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ratelab/algorithms/algotest"
	"ratelab/internal/limit"
	"ratelab/internal/redis/redistest"
)

// limiting are all algorithms but the floor.
func limiting() []string { return Names()[1:] }

// forEach checks a law on random stories of every algorithm.
func forEach(t *testing.T, law func(t *rapid.T, name string)) {
	t.Helper()
	for _, name := range limiting() {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { law(t, name) })
		})
	}
}

// A rejected request takes nothing from a later one, and moves no deadline: without it all others come out alike.
func TestDeletingRejectedRequestsChangesNothing(t *testing.T) {
	forEach(t, func(t *rapid.T, name string) {
		s := drawStory(t, name)
		l := s.in.NewModel()
		for i, e := range s.admitted() {
			if got := l.Decide(e.atUS, e.atUS, "k", e.cost); got != e.Decision {
				t.Fatalf("admitted request %d: alone %+v; among the rejected %+v", i, got, e.Decision)
			}
		}
	})
}

// Only the distance between requests counts: of aligned windows in whole windows, of TTLs in whole milliseconds.
func TestShiftingAStoryInTimeChangesNothing(t *testing.T) {
	forEach(t, func(t *rapid.T, name string) {
		s := drawStory(t, name)
		shift := rapid.Int64Range(-1000, 1000).Draw(t, "shift")
		switch traits := registered[name].Traits; {
		case traits.Grid:
			shift *= 1000 * s.policy.WindowUS() // in whole milliseconds, too
		case traits.TTLRule:
			shift *= 1000
		}
		l := s.in.NewModel()
		for i, e := range s.steps {
			if got := l.Decide(e.atUS+shift, e.atUS+shift, "k", e.cost); got != e.Decision {
				t.Fatalf("request %d: %+v; shifted by %d us %+v", i, e.Decision, shift, got)
			}
		}
	})
}

// Keys know nothing of each other.
func TestInterleavedKeysDecideAsEachAlone(t *testing.T) {
	forEach(t, func(t *rapid.T, name string) {
		s := drawStory(t, name)
		l := s.in.NewModel()
		second := s.in.NewModel()
		for i, e := range s.steps {
			cost := drawCost(t, s.policy)
			got, want := l.Decide(e.atUS, e.atUS, "other", cost), second.Decide(e.atUS, e.atUS, "other", cost)
			if got != want {
				t.Fatalf("request %d of the other key: %+v; alone %+v", i, got, want)
			}
			if got := l.Decide(e.atUS, e.atUS, "k", e.cost); got != e.Decision {
				t.Fatalf("request %d: %+v; alone %+v", i, got, e.Decision)
			}
		}
	})
}

// Who obeys retry_after, and comes alone, is admitted; who comes a tick earlier is not; never means never.
func TestRetryAfterIsTight(t *testing.T) {
	forEach(t, func(t *rapid.T, name string) {
		s := drawStory(t, name)
		for n, e := range s.steps {
			switch {
			case e.Allowed():
				if e.RetryAfterUS != 0 {
					t.Fatalf("step %d: admitted, and asked to retry after %d us", n, e.RetryAfterUS)
				}
			case e.RetryAfterUS == limit.Never:
				if d := s.at(n+1, e.atUS+1000*s.policy.WindowUS(), e.cost); d.Allowed() {
					t.Fatalf("step %d: %+v; a thousand windows later %+v", n, e, d)
				}
			default:
				if d := s.at(n+1, e.atUS+e.RetryAfterUS, e.cost); !d.Allowed() {
					t.Fatalf("step %d: %+v; at that moment %+v", n, e, d)
				}
				if d := s.at(n+1, e.atUS+e.RetryAfterUS-s.tickUS(), e.cost); d.Allowed() {
					t.Fatalf("step %d: %+v; a tick earlier %+v", n, e, d)
				}
			}
		}
	})
}

// What remains can be had at once, and not one token more.
func TestRemainingIsTrue(t *testing.T) {
	forEach(t, func(t *rapid.T, name string) {
		s := drawStory(t, name)
		for n, e := range s.steps {
			if e.Remaining > 0 && !s.at(n+1, e.atUS, e.Remaining).Allowed() {
				t.Fatalf("step %d: %+v; and %d are refused", n, e, e.Remaining)
			}
			if e.Remaining < 0 || s.at(n+1, e.atUS, e.Remaining+1).Allowed() {
				t.Fatalf("step %d: %+v; and one more is admitted", n, e)
			}
		}
	})
}

// When reset_after has passed the full burst is back, and ever after; a tick earlier it is not. Of several limits one
// may have it back earlier, and a flood tells that another one has not.
func TestTheFullBurstIsBackAfterReset(t *testing.T) {
	forEach(t, func(t *rapid.T, name string) {
		s := drawStory(t, name)
		capacity, n := s.capacity(), len(s.steps)
		traits := registered[name].Traits
		if traits.Lends {
			capacity = min(capacity, s.policy.Capacity())
		}
		last := s.steps[n-1]
		full := last.atUS + last.ResetAfterUS
		idle := rapid.Int64Range(0, 10*s.policy.WindowUS()).Draw(t, "idle")
		for _, at := range []int64{full, full + idle} {
			if d := s.at(n, at, capacity); !d.Allowed() {
				t.Fatalf("%+v; at %d us %d are refused: %+v", last, at, capacity, d)
			}
		}
		early := full - s.tickUS()
		switch {
		case last.ResetAfterUS == 0 || traits.Lends:
		case traits.Tiers && slices.Equal(flood(s.after(n), early, 100), flood(s.in.NewModel(), early, 100)):
			t.Fatalf("%+v; a tick before the reset it decides as a rested limiter", last)
		case !traits.Tiers && s.at(n, early, capacity).Allowed():
			t.Fatalf("%+v; a tick before the reset %d are admitted", last, capacity)
		}
	})
}

// A clock that steps back gives nothing back, and keeps nobody waiting for longer than the step. An aligned window
// that is entered again is the known exception: it has a count of its own.
func TestAClockThatStepsBackGivesAndTakesNothing(t *testing.T) {
	forEach(t, func(t *rapid.T, name string) {
		if registered[name].Traits.Aligned {
			return
		}
		s := drawStory(t, name)
		n := len(s.steps)
		last := s.steps[n-1]
		step := rapid.Int64Range(1, 3*s.policy.WindowUS()).Draw(t, "step")
		cost := drawCost(t, s.policy)
		before, after := s.at(n, last.atUS, cost), s.at(n, last.atUS-step, cost)
		if after.Allowed() && !before.Allowed() {
			t.Fatalf("%+v: stepping back by %d us admits %d: %+v", last, step, cost, after)
		}
		if after.Verdict == before.Verdict && after.Remaining > before.Remaining {
			t.Fatalf("%+v: %d us back more remains: %+v, not %+v", last, step, after, before)
		}
		if after.RetryAfterUS > max(0, before.RetryAfterUS)+step+s.tickUS()-1 {
			t.Fatalf("%+v: stepping back by %d us locks out for longer: %+v, not %+v", last, step, after, before)
		}
	})
}

// However far a clock steps back, nobody is locked out for longer than it takes to forget all that can be held, and the
// wait that is named then is true.
func TestAClockThatStepsBackLocksNobodyOut(t *testing.T) {
	forEach(t, func(t *rapid.T, name string) {
		s := drawStory(t, name)
		l, last := s.after(len(s.steps)), s.steps[len(s.steps)-1]
		longest := longestUS(s.in, s.policy)
		at := last.atUS - rapid.Int64Range(1, 1000*s.policy.WindowUS()).Draw(t, "step")
		for range rapid.IntRange(1, 3).Draw(t, "requests") {
			cost := drawCost(t, s.policy)
			d := l.Decide(at, at, "k", cost)
			if max(d.RetryAfterUS, d.ResetAfterUS) > longest {
				t.Fatalf("%+v; %d us before, for %d: %+v; want at most %d us", last, last.atUS-at, cost, d, longest)
			}
			at += max(0, d.RetryAfterUS)
			if d.RetryAfterUS > 0 && !registered[name].Traits.Aligned && !l.Decide(at, at, "k", cost).Allowed() {
				t.Fatalf("%+v; %d us before, for %d: %+v; and then refused", last, last.atUS-at, cost, d)
			}
		}
	})
}

// A coarse clock shows the model whole steps, and nothing else changes.
func TestACoarseClockIsTheSameStoryAtWholeSteps(t *testing.T) {
	forEach(t, func(t *rapid.T, name string) {
		if find(registered[name].Parameters, "granularity") == nil {
			return
		}
		fine, p := drawInstance(t, name)
		choice, err := Choose(name, map[string]string{"time": "client", "granularity": "1ms"})
		if err != nil {
			t.Fatal(err)
		}
		coarse, err := choice.WithDefaults(fine.Parameters)
		if err != nil {
			t.Fatal(err)
		}
		in, err := coarse.Under(p)
		if err != nil {
			t.Fatal(err)
		}
		l, reference := in.NewModel(), fine.NewModel()
		for at := algotest.StartUS; at < algotest.StartUS+20_000; at += rapid.Int64Range(0, 1500).Draw(t, "gap") + 1 {
			if got, want := l.Decide(at, at, "k", 1), reference.Decide(at-at%1000, at-at%1000, "k", 1); got != want {
				t.Fatalf("at %d us: %+v; want %+v", at, got, want)
			}
		}
	})
}

// Parameters may change from one request to the next. Nothing remains that is less than nothing, nobody waits for
// longer than the new ones take to forget, and nothing is admitted that was not earned: at the instant of the change
// not more than the larger of the two admits at once, and after it no more than the new one does. Where what is used up
// is kept as a time, that time is used up of the new bucket, too. A managed bucket departs from this knowingly: it is
// full when it is configured anew.
func TestAChangeOfParametersGivesAndTakesNothing(t *testing.T) {
	s := redistest.Embedded(t)
	ctx := t.Context()
	forEach(t, func(t *rapid.T, name string) {
		c := drawChange(t, name)
		script := c.scriptDecides(t, ctx, s)
		longest := longestUS(c.in, c.policy)
		for i, e := range c.steps {
			if script[i] != e.Decision {
				t.Fatalf("step %d of %d and more, at %d us for %d: the model %s; the script %s", i, c.before, e.atUS,
					e.cost, algotest.Describe(e.Decision), algotest.Describe(script[i]))
			}
			waits := max(e.RetryAfterUS, e.ResetAfterUS)
			if i >= c.before && (e.Remaining < 0 || e.ResetAfterUS < 0 || waits > longest) {
				t.Fatalf("step %d, after %d, %+v: want nothing below zero, and no time above %d us", i, c.before, e,
					longest)
			}
		}
		before, after, largest := c.atTheChange()
		admitted := before + after
		most := max(c.old.MostAdmitted(1, largest), c.in.MostAdmitted(1, largest))
		if c.in.Algorithm.Traits.Timed {
			interval := func(p limit.Policy) int64 { return ceilDiv(16*p.WindowUS(), p.Requests) }
			full := c.policy.Capacity() * interval(c.policy)
			most = before + max(0, full-before*interval(c.oldPolicy))/interval(c.policy)
		}
		if c.in.Algorithm.Traits.Lends {
			most += min(c.parameter("debt"), largest-1) // the new one lends beside what the old one held
		}
		if admitted > most && c.in.Init == nil {
			t.Fatalf("%d and %d admitted at the change; want at most %d", before, after, most)
		}
		then := story{in: c.in, policy: c.policy, steps: c.steps[c.before:]}
		then.checkBound(t)
	})
}
