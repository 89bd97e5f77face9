package tune

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ratelab/algorithms"
	"ratelab/internal/limit"
)

// startUS is a clock that is no multiple of any window.
const startUS = 1_704_067_200_123_456

// drawn is random traffic of three users, with bursts and pauses, in the order of time.
func drawn(t *rapid.T, costly bool) []limit.Request {
	var all []limit.Request
	var at int64
	gap := rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(0, 3_000), rapid.Int64Range(0, 400_000),
		rapid.Int64Range(0, 3_000_000), rapid.Just(int64(1_000_000)))
	for range rapid.IntRange(1, 60).Draw(t, "requests") {
		at += gap.Draw(t, "gap")
		q := limit.Request{AtUS: at, Key: rapid.SampledFrom([]string{"0", "1", "2"}).Draw(t, "key"), Cost: 1}
		if costly {
			q.Cost = rapid.Int64Range(1, 7).Draw(t, "cost")
		}
		all = append(all, q)
	}
	return all
}

// numbered is the number of a key of drawn.
func numbered(key string) int64 { return int64(key[0] - '0') }

func everybody(int64) bool { return true }

func curvesOf(all []limit.Request, lengths []time.Duration, rates []limit.Policy) *Curves {
	s := newSurvey(startUS, lengths, rates, everybody)
	for _, q := range all {
		s.add(numbered(q.Key), q.AtUS, q.Cost)
	}
	s.rest()
	return s.take().curves()
}

// played is what a model refuses under a limit: of how many users anything, and how many requests.
func played(t *rapid.T, name string, p limit.Policy, all []limit.Request) (users, requests int64) {
	choice, err := algorithms.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	in, err := choice.Instance(p)
	if err != nil {
		t.Fatal(err)
	}
	model, touched := in.NewModel(), map[string]bool{}
	for _, q := range all {
		if !model.Decide(startUS+q.AtUS, q.Key, q.Cost).Allowed() {
			requests++
			touched[q.Key] = true
		}
	}
	return int64(len(touched)), requests
}

// For every limit the curves of windows say what the models do, whatever requests cost; of how many requests are
// refused they say it where each costs 1.
func TestWindowCurvesAreWhatTheModelsDo(t *testing.T) {
	lengths := []time.Duration{time.Second, 1500 * time.Millisecond, 4 * time.Second, 2500 * time.Microsecond}
	rapid.Check(t, func(t *rapid.T) {
		all := drawn(t, rapid.Bool().Draw(t, "costs"))
		c := curvesOf(all, lengths, nil)
		for i, w := range c.Windows {
			p := limit.Policy{Requests: rapid.Int64Range(1, 30).Draw(t, "limit"), Window: lengths[i]}
			for _, curve := range []struct {
				name           string
				users, windows Distribution
			}{
				{"sliding-window-log", w.LogUsers, nil},
				{"fixed-window-aligned", w.AlignedUsers, w.AlignedWindows},
				{"fixed-window", w.FirstHitUsers, w.FirstHitWindows},
			} {
				users, requests := played(t, curve.name, p, all)
				if got := curve.users.Beyond(p.Requests); got != users {
					t.Fatalf("%s at %v refuses %d users, the curve says %d", curve.name, p, users, got)
				}
				if curve.windows == nil {
					continue
				}
				if got := curve.windows.Surplus(p.Requests); got != requests {
					t.Fatalf("%s at %v refuses %d requests, the curve says %d", curve.name, p, requests, got)
				}
			}
			if !c.UnitCost && w.AlignedWindows != nil {
				t.Fatal("where costs differ there is no curve of requests")
			}
		}
	})
}

// For every rate and burst the curve of a bucket says whom gcra and token-bucket refuse, whatever requests cost.
func TestBurstCurvesAreWhatTheModelsDo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var rates []limit.Policy
		for range 3 {
			rates = append(rates, limit.Policy{Requests: rapid.Int64Range(1, 40).Draw(t, "requests"),
				Window: rapid.SampledFrom([]time.Duration{time.Second, 1500 * time.Millisecond, 7 * time.Second,
					time.Minute, time.Hour, 5 * time.Millisecond}).Draw(t, "window")})
		}
		all := drawn(t, rapid.Bool().Draw(t, "costs"))
		for _, curve := range curvesOf(all, nil, rates).Rates {
			p := curve.Rate
			p.Burst = rapid.Int64Range(1, 40).Draw(t, "burst")
			for _, name := range []string{"gcra", "token-bucket", "leaky-bucket"} {
				users, _ := played(t, name, p, all)
				if got := curve.Users.Beyond(p.Burst); got != users {
					t.Fatalf("%s at %v refuses %d users, the curve says %d", name, p, users, got)
				}
			}
		}
	})
}

// The least burst is tight: one less refuses the user. Costs are as large as they may be.
func TestLeastBurstIsTightWithLargeCosts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := limit.Policy{Requests: rapid.Int64Range(1, limit.MaxRequests).Draw(t, "requests"), Window: time.Hour}
		var all []limit.Request
		var at int64
		for range rapid.IntRange(1, 8).Draw(t, "requests") {
			at += rapid.Int64Range(0, 2_000_000_000).Draw(t, "gap")
			all = append(all, limit.Request{AtUS: at, Key: "0", Cost: rapid.Int64Range(1, 900_000_000).Draw(t, "cost")})
		}
		least := curvesOf(all, nil, []limit.Policy{p}).Rates[0].Users[0].Value
		if least > 1 && least <= limit.MaxRequests && countable(least, p) {
			p.Burst = least
			if users, _ := played(t, "gcra", p, all); users != 0 {
				t.Fatalf("%v refuses somebody, and it is the least burst that refuses nobody", p)
			}
		}
		if p.Burst = min(least-1, limit.MaxRequests); p.Burst > 0 && countable(p.Burst, p) {
			if users, _ := played(t, "gcra", p, all); users != 1 {
				t.Fatalf("%v refuses nobody, and %d is the least burst that does", p, least)
			}
		}
	})
}

// countable reports whether gcra takes a burst at a rate.
func countable(burst int64, p limit.Policy) bool {
	choice, _ := algorithms.Parse("gcra")
	p.Burst = burst
	_, err := choice.Instance(p)
	return err == nil
}

// Stretches of traffic are looked at by themselves, and add up.
func TestStretchesAddUp(t *testing.T) {
	lengths, rates := []time.Duration{time.Second}, []limit.Policy{{Requests: 3, Window: time.Second}}
	rapid.Check(t, func(t *rapid.T) {
		first, second := drawn(t, true), drawn(t, true)
		s := newSurvey(startUS, lengths, rates, everybody)
		for _, part := range [][]limit.Request{first, second} {
			for _, q := range part {
				s.add(numbered(q.Key), q.AtUS, q.Cost)
			}
			s.rest()
		}
		both, a, b := s.take().curves(), curvesOf(first, lengths, rates), curvesOf(second, lengths, rates)
		for _, n := range []int64{1, 2, 5, 10, 20, 60} {
			for _, figure := range []func(*Curves) int64{
				func(c *Curves) int64 { return c.Users },
				func(c *Curves) int64 { return c.Windows[0].LogUsers.Beyond(n) },
				func(c *Curves) int64 { return c.Windows[0].FirstHitUsers.Beyond(n) },
				func(c *Curves) int64 { return c.Rates[0].Users.Beyond(n) },
			} {
				if got, want := figure(both), figure(a)+figure(b); got != want {
					t.Fatalf("at %d: %d of both, %d of each alone", n, got, want)
				}
			}
		}
	})
}

// Only the good are in the curves.
func TestCurvesAreOfTheGood(t *testing.T) {
	s := newSurvey(0, []time.Duration{time.Second}, nil, func(number int64) bool { return number == 0 })
	s.add(0, 0, 1)
	for range 9 {
		s.add(1, 5, 1)
	}
	s.rest()
	c := s.take().curves()
	if c.Users != 1 || c.Requests != 1 || fmt.Sprint(c.Windows[0].LogUsers) != "[{1 1}]" {
		t.Fatalf("%+v", c)
	}
}

// Least is the smallest limit that keeps a bound: one less does not.
func TestLeastIsTheSmallest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h histogram
		for range rapid.IntRange(0, 20).Draw(t, "values") {
			h.add(rapid.Int64Range(1, 600).Draw(t, "value"), 1)
		}
		d, most := h.distribution(), rapid.Int64Range(0, 12).Draw(t, "most")
		for _, refused := range []func(Distribution, int64) int64{Distribution.Beyond, Distribution.Surplus} {
			least := d.Least(most, refused)
			if refused(d, least) > most || least > 1 && refused(d, least-1) <= most {
				t.Fatalf("%v: %d is not the smallest with at most %d", d, least, most)
			}
		}
	})
}
