package algorithms

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ratelab/algorithms/algotest"
	"ratelab/internal/limit"
)

// Whatever comes, no algorithm admits more than it promises, in an interval of any length.
func TestNoStoryExceedsTheBound(t *testing.T) {
	forEach(t, func(t *rapid.T, name string) {
		s := drawStory(t, name)
		s.checkBound(t)
	})
}

// Nor does it by a client's clock in steps, asked as fast as it answers: the clock shows less time than has passed, or
// more, and the keys expire on the server's.
func TestNoStoryOnACoarseClockExceedsTheBound(t *testing.T) {
	forEach(t, func(t *rapid.T, name string) {
		if find(registered[name].Parameters, "granularity") == nil {
			return
		}
		fine, _ := drawInstance(t, name)
		p := limit.Policy{Requests: rapid.Int64Range(1, 7).Draw(t, "requests"),
			Burst: rapid.Int64Range(0, 9).Draw(t, "burst"),
			Window: time.Duration(rapid.SampledFrom([]int64{1000, 1500, 3700, 10000}).Draw(t,
				"window")) * time.Microsecond}
		choice, err := Choose(name, map[string]string{"time": "client", "granularity": "1ms"})
		if err != nil {
			t.Fatal(err)
		}
		for _, own := range registered[name].Parameters {
			if value := fine.Parameters[own.Name]; own.Kind == Integer && own.Name != "debt" && value != "" &&
				rapid.Bool().Draw(t, own.Name) {
				if choice, err = choice.WithDefaults(map[string]string{own.Name: value}); err != nil {
					t.Fatal(err)
				}
			}
		}
		in, err := choice.Under(p)
		if err != nil {
			t.Skip(err)
		}
		s := greedy(t, in, p)
		s.checkBound(t)
	})
}

// greedy asks again and again, a little before and after what the answer before named.
func greedy(t *rapid.T, in Rule, p limit.Policy) story {
	s := story{in: in, policy: p}
	l := in.NewModel()
	at := algotest.StartUS + rapid.Int64Range(0, 2000).Draw(t, "start")
	for range 60 {
		e := event{atUS: at, cost: rapid.SampledFrom([]int64{1, 1, p.Requests, p.Capacity()}).Draw(t, "cost")}
		e.Decision = l.Decide(e.atUS, e.atUS, "k", e.cost)
		s.steps = append(s.steps, e)
		at += rapid.SampledFrom([]int64{0, 1, 500, 999, e.RetryAfterUS - 999, e.RetryAfterUS,
			p.WindowUS()}).Filter(func(us int64) bool {
			return us >= 0
		}).Draw(t, "pause")
	}
	return s
}

// checkBound holds everything admitted between any two admissions, both included, to the instance's MostAdmitted.
func (s *story) checkBound(t *rapid.T) {
	largest := int64(1)
	for _, e := range s.admitted() {
		largest = max(largest, e.cost)
	}
	s.intervals(func(tauUS, admitted int64) {
		if most := s.in.MostAdmitted(tauUS+1, largest); admitted > most {
			t.Fatalf("%s at %s: %d admitted within %d us; promised at most %d", s.in.Label, s.policy, admitted, tauUS+1,
				most)
		}
	})
}

// Only the floor promises nothing. What the others promise grows with the interval, and never wraps around.
func TestABoundGrowsWithItsInterval(t *testing.T) {
	for _, name := range limiting() {
		in := instanceOf(t, name, policy(t, "1000000/1m"))
		if in.MostAdmitted == nil {
			t.Errorf("%s has no MostAdmitted; give its Rule one", name)
			continue
		}
		before := int64(0)
		for us := int64(2); us > 0; us *= 2 {
			for _, span := range []int64{us, us + 1, us + us/2} {
				most := in.MostAdmitted(span, 5)
				if most < before {
					t.Errorf("%s: %d in %d us, after %d in a shorter interval", name, most, span, before)
				}
				before = most
			}
		}
		if most := in.MostAdmitted(math.MaxInt64, math.MaxInt64); most < before {
			t.Errorf("%s: %d in the longest interval", name, most)
		}
	}
	if instanceOf(t, "none", policy(t, "5/1s")).MostAdmitted != nil {
		t.Error("none promises something")
	}
}

// Worked by hand, for 10 per 3 s.
func TestBoundsWorkedByHand(t *testing.T) {
	for _, c := range []struct {
		label   string
		span    time.Duration
		largest int64
		want    int64
	}{
		{"fixed-window", time.Microsecond, 1, 10},
		{"fixed-window", 2 * time.Microsecond, 1, 19},
		// one opens it, and the next opens 3 s later
		{"fixed-window", 3 * time.Second, 1, 19},
		// from the last µs of a ms: 3000 ms later to the µs
		{"fixed-window", 3000*time.Millisecond + 2*time.Microsecond, 1, 20},
		{"fixed-window", 3000*time.Millisecond + 3*time.Microsecond, 1, 29}, // the same, and one that opened before
		{"fixed-window-aligned", 1 * time.Microsecond, 1, 10},
		{"fixed-window-aligned", 2 * time.Microsecond, 1, 20},
		{"fixed-window-aligned", 3*time.Second + time.Microsecond, 1, 20},
		{"fixed-window-aligned", 3*time.Second + 2*time.Microsecond, 1, 30},
		{"sliding-window-log", 3 * time.Second, 1, 10},
		{"sliding-window-log", 3*time.Second + time.Microsecond, 1, 20},
		{"sliding-window-log:time=client:granularity=1s", 2*time.Second + time.Microsecond, 1, 10},
		// 3 s by the clock
		{"sliding-window-log:time=client:granularity=1s", 2*time.Second + 2*time.Microsecond, 1, 20},
		{"sliding-window-buckets", 3 * time.Second, 1, 10},
		{"sliding-window-counter", time.Microsecond, 1, 10},
		{"sliding-window-counter", 3 * time.Second, 1, 19},
		{"sliding-window-counter", 3*time.Second + time.Microsecond, 1, 20},
		{"gcra", 300 * time.Millisecond, 1, 10},
		{"gcra", 300*time.Millisecond + time.Microsecond, 1, 11},
		{"leaky-bucket:burst=2", 300*time.Millisecond + time.Microsecond, 1, 3},
		{"token-bucket:burst=2", 600*time.Millisecond + time.Microsecond, 1, 4},
		{"token-bucket-interval", time.Microsecond, 1, 10},
		{"token-bucket-interval", 2 * time.Microsecond, 1, 20},
		{"token-bucket-interval:capacity=4:refill=1", 300*time.Millisecond + time.Microsecond, 1, 5},
		// no refill brings more than fits
		{"token-bucket-interval:capacity=4:refill=20:interval=3s", 3 * time.Second, 1, 8},
		{"token-bucket-debt", time.Microsecond, 1, 10},
		{"token-bucket-debt", time.Microsecond, 7, 16},
		{"token-bucket-debt", time.Microsecond, 1000, 19}, // what costs more than the capacity is refused
		{"token-bucket-debt:debt=2", time.Microsecond, 7, 12},
	} {
		if got := instanceOf(t, c.label, policy(t, "10/3s")).MostAdmitted(c.span.Microseconds(),
			c.largest); got != c.want {
			t.Errorf("%s in %v, costs up to %d: %d; want %d", c.label, c.span, c.largest, got, c.want)
		}
	}
}

// A bound is no larger than it has to be: some traffic of one key reaches 95 % of it, in an interval of any length.
func TestTrafficNearlyReachesEveryBound(t *testing.T) {
	for _, name := range limiting() {
		t.Run(name, func(t *testing.T) {
			for _, c := range []struct {
				limit string
				span  time.Duration
			}{
				{"100/1s", time.Second}, {"100/1s", 10 * time.Millisecond}, {"100/1s", 2500 * time.Millisecond},
				{"100/1s", time.Microsecond}, {"7/3s", 3 * time.Second}, {"3/10ms", 10 * time.Millisecond},
			} {
				in, us := instanceOf(t, name, policy(t, c.limit)), c.span.Microseconds()
				if most, bound := worst(in, us), in.MostAdmitted(us, 1); 100*most < 95*bound {
					t.Errorf("%s: at most %d are admitted in %v; the bound is %d", c.limit, most, c.span, bound)
				}
			}
		})
	}
}

// worst is the most that a limiter admits in any interval of spanUS of a flood that goes on whenever an answer says so.
// The flood begins at several phases of the clock, at once or some time after single requests.
func worst(in Rule, spanUS int64) (most int64) {
	w := in.Policy.WindowUS()
	for _, phase := range []int64{0, w / 2, w - 1} {
		for _, wait := range []int64{w / 2, w - 1, w} {
			for singles := range 3 {
				l, at := in.NewModel(), algotest.StartUS-algotest.StartUS%w+phase
				var admitted []int64
				for range singles {
					l.Decide(at, at, "k", 1)
					admitted = append(admitted, at)
					at += wait
				}
				for end := at + spanUS + w; at < end; {
					d := l.Decide(at, at, "k", 1)
					if d.Allowed() {
						admitted = append(admitted, at)
					}
					at += d.RetryAfterUS
				}
				most = max(most, peakOf(admitted, spanUS))
			}
		}
	}
	return most
}
