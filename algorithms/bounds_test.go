package algorithms

import (
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ratelab/algorithms/algotest"
	"ratelab/internal/limit"
	"ratelab/internal/longtest"
)

// The log decides as adding up everything that was ever admitted does.
func TestTheLogIsBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawStory(t, "sliding-window-log")
		for i, e := range s.steps {
			held := s.heldBefore(i, s.policy.WindowUS())
			if want := held+e.cost <= s.policy.Requests; e.Allowed() != want {
				t.Fatalf("step %d, %+v: %d are held", i, e, held)
			}
			if e.Allowed() {
				held += e.cost
			}
			if e.Remaining != s.policy.Requests-held {
				t.Fatalf("step %d, %+v: %d are held", i, e, held)
			}
		}
	})
}

// heldBefore is the cost admitted before step i in the last spanUS up to its time.
func (s *story) heldBefore(i int, spanUS int64) int64 {
	held := int64(0)
	for _, e := range s.steps[:i] {
		if e.Allowed() && e.atUS > s.steps[i].atUS-spanUS {
			held += e.cost
		}
	}
	return held
}

// The log of a key holds no more requests than the limit lets in, and its memory at most twice as many.
func TestTheLogStaysShort(t *testing.T) {
	p := policy(t, "5/10ms")
	l := modelOf(t, "sliding-window-log", p).(*keyed[admissions, *admissions])
	for at := int64(0); at < 1_000_000; at += 700 {
		l.Decide(algotest.StartUS+at, algotest.StartUS+at, "k", 1)
		g := l.store.of("k", algotest.StartUS+at, algotest.StartUS+at)
		if live := len(g.list) - g.leaving(algotest.StartUS+at-p.WindowUS()); live > 5 || len(g.list) > 11 {
			t.Fatalf("at %d us: %d live entries, %d in memory", at, live, len(g.list))
		}
	}
}

// Sub-windows err on the strict side, and by no more than one sub-window.
func TestSubwindowsRejectEarlyAndNeverLate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawStory(t, "sliding-window-buckets")
		w, n := s.policy.WindowUS(), s.parameter("parts")
		for i, e := range s.steps {
			if e.Allowed() && s.heldBefore(i, w)+e.cost > s.policy.Requests {
				t.Fatalf("step %d, %+v: too many in the last window", i, e)
			}
			if !e.Allowed() && s.heldBefore(i, w+ceilDiv(w, n))+e.cost <= s.policy.Requests {
				t.Fatalf("step %d, %+v: few enough in the last window and a sub-window", i, e)
			}
		}
	})
}

func (s *story) parameter(name string) int64 {
	n, err := strconv.ParseInt(s.in.Parameters[name], 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

// GCRA gives the answers of a managed token bucket to which a token comes back in whole ticks, in every field, also
// where the clock steps back.
func TestGCRADecidesAsATokenBucketOnItsGrid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, p := drawInstance(t, "gcra")
		grid := bucket{p.Capacity(), ceilDiv(16*p.WindowUS(), p.Requests), 16}
		l, bucket := in.NewModel(), newModel[managed](clock{}, &configuredBucket{grid})()
		at, back := algotest.StartUS, rapid.IntRange(0, 3).Draw(t, "steps back")
		for i := range 30 + back {
			cost := drawCost(t, p)
			if i == 30 {
				cost = 1 // is admitted if the key has expired, and writes it anew
			}
			got, want := l.Decide(at, at, "k", cost), bucket.Decide(at, at, "k", cost)
			if got != want {
				t.Fatalf("step %d, at %d us for %d: gcra %+v; token bucket %+v", i, at, cost, got, want)
			}
			if i < 30 {
				at += drawPause(t, p, got)
			} else { // from here on no key expires
				at -= rapid.Int64Range(1, 3*p.WindowUS()).Draw(t, "step back")
			}
		}
	})
}

// GCRA never admits what an exact bucket that has admitted the same would not, and the rounding costs it little: at
// 3,000/s 0.013 % of what a saturated bucket gets, at 30,000/s 0.13 %.
func TestGCRAIsNeverAboveTheLimitAndLittleBelow(t *testing.T) {
	outer := t
	rapid.Check(t, func(t *rapid.T) {
		p := limit.Policy{Requests: rapid.Int64Range(1, 30_000).Draw(t, "requests"), Window: time.Second,
			Burst: rapid.Int64Range(1, 5).Draw(t, "burst")}
		l, at, exact := modelOf(outer, "gcra", p), algotest.StartUS, managed{bucket: bucket{capacity: p.Burst}}
		exact.w, exact.l = p.Interval()
		for i := range 2000 { // as soon as there is something
			d := l.Decide(at, at, "k", 1)
			if d.Allowed() && !exact.acquire(&moment{nowUS: at}, 1).Allowed() {
				t.Fatalf("request %d at %s: an exact bucket is empty", i, p)
			}
			at += d.RetryAfterUS
		}
	})
	for rate, most := range map[int64]float64{1000: 0, 3000: 0.000126, 30_000: 0.0013, 60_000: 0.0013} {
		interval := ceilDiv(16_000_000, rate)
		if lost := 1 - 16e6/float64(rate*interval); lost < 0 || lost > most {
			t.Errorf("at %d/s %.4f %% are lost", rate, 100*lost)
		}
	}
}

// No step of time is lost: at 333/s, a token every 3003.003… µs, a saturated bucket admits 333 in each second.
func TestNothingDriftsWhereTheIntervalIsNoWholeMicrosecond(t *testing.T) {
	for _, name := range []string{"gcra", "token-bucket", "leaky-bucket"} {
		l, admitted := modelOf(t, name+":burst=1", policy(t, "333/1s")), 0
		for at := int64(0); at < 1000_000_000; {
			d := l.Decide(algotest.StartUS+at, algotest.StartUS+at, "k", 1)
			if d.Allowed() {
				admitted++
			}
			at += max(d.RetryAfterUS, d.ResetAfterUS)
		}
		// Each token is waited for until a whole µs: 1000 s hold at most 333,000 and at least 1000 s / 3004 µs.
		if admitted < 332_890 || admitted > 333_000 {
			t.Errorf("%s admitted %d in 1000 s", name, admitted)
		}
	}
}

// A leaky bucket lets requests go in their order, one token each T, none later than (B − 1)·T, and turns away only
// what does not fit into its queue. The queue is followed exactly, in units of 1/16 µs.
func TestALeakyBucketIsAQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawStory(t, "leaky-bucket")
		w, l := ceilDiv(16*s.policy.WindowUS(), s.policy.Requests), int64(16)
		b, free := s.policy.Capacity(), int64(0) // free: when the last token's time is over
		for i, e := range s.steps {
			now := (e.atUS - algotest.StartUS) * l
			waiting := max(0, free-now)
			if fits := waiting+e.cost*w <= b*w; e.Allowed() != fits {
				t.Fatalf("step %d, %+v: %d/%d us of work wait", i, e, waiting, l)
			}
			if !e.Allowed() {
				continue
			}
			if e.DelayUS != ceilDiv(waiting, l) || e.DelayUS*l >= (b-1)*w+l {
				t.Fatalf("step %d, %+v: want a delay of %d/%d us, at most %d/%d", i, e, waiting, l, (b-1)*w, l)
			}
			free = max(free, now) + e.cost*w
		}
	})
}

// What leaves a leaky bucket keeps within its bound in every interval, and reaches it.
func TestDeparturesKeepTheirBound(t *testing.T) {
	reached := false
	rapid.Check(t, func(t *rapid.T) {
		s := drawStory(t, "leaky-bucket")
		type departure struct{ atUS, cost int64 }
		var all []departure
		largest := int64(1)
		for _, e := range s.steps {
			largest = max(largest, e.cost)
			if e.Allowed() {
				all = append(all, departure{e.atUS + e.DelayUS, e.cost})
			}
		}
		for i := range all {
			sum := int64(0)
			for _, d := range all[i:] {
				sum += d.cost
				span := d.atUS - all[i].atUS + 1
				bound := s.in.MostDeparting(span, largest)
				if sum > bound {
					t.Fatalf("%d leave within %d us; the bound is %d", sum, span, bound)
				}
				reached = reached || sum == bound && sum > 2
			}
		}
	})
	if !reached && longtest.All() { // one draw in six reaches it
		t.Error("no interval comes up to the bound")
	}
}
