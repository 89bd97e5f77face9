package measure

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ratelab/internal/limit"
)

// observe has m observe the run beside an exact limiter in its place, and gives what that admits, and the keys that it
// rejects.
func observe(m *Meter, p limit.Policy, run []observation) (*Ledger, Marks) {
	reference, keys, exact := NewReference(p, 0), NewKeySet(), &Ledger{}
	for _, o := range run {
		number := keys.Add(o.Key)
		yes := reference.Admit(o.Request, number)
		if yes {
			exact.Add(number, o.Cost)
		}
		m.Observe(o.Request, number, limit.Decision{Verdict: o.verdict, DelayUS: o.delayUS})
	}
	return exact, reference.Rejected()
}

func TestMeterEqualsItsDefinitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, duration, run := drawRun(t)
		m := NewMeter(p, duration)
		exact, refused := observe(m, p, run)
		got, err := m.Result(duration, exact, refused)
		if err != nil {
			t.Fatal(err)
		}
		want := oracle(p, run)
		if math.Abs(got.XLimit-want.XLimit) <= 1e-12*want.XLimit {
			got.XLimit = want.XLimit
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestSeriesEqualsItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, duration, run := drawRun(t)
		announced := rapid.SampledFrom([]time.Duration{0, duration, duration / 3}).Draw(t, "announced")
		m, reference, keys := NewMeter(p, announced), NewReference(p, announced), NewKeySet()
		for _, o := range run {
			reference.Admit(o.Request, keys.Add(o.Key))
		}
		observe(m, p, run)
		if _, err := m.Result(duration, nil, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := reference.Tally(duration, nil, nil); err != nil {
			t.Fatal(err)
		}
		got, offered := m.Series(), reference.Traffic()
		n := len(got.Rolling)
		if n > maxBuckets || len(got.Admitted) != n || len(offered.Offered) != n || offered.BucketUS != got.BucketUS {
			t.Fatalf("%d and %d buckets of %d us, %d of %d us offered", n, len(got.Admitted), got.BucketUS,
				len(offered.Offered), offered.BucketUS)
		}
		if end := int64(n) * got.BucketUS; end < duration.Microseconds() || end-got.BucketUS > duration.Microseconds() {
			t.Fatalf("%d buckets of %d us for %v", n, got.BucketUS, duration)
		}
		for i := range n {
			from, to := int64(i)*got.BucketUS, int64(i+1)*got.BucketUS
			var wantAdmitted, wantOffered int64
			for _, o := range run {
				if o.AtUS >= from && o.AtUS < to {
					wantOffered += o.Cost
					if o.admitted() {
						wantAdmitted += o.Cost
					}
				}
			}
			wantRolling := rollingOracle(p, run, from, to)
			if got.Admitted[i] != wantAdmitted || offered.Offered[i] != wantOffered || got.Rolling[i] != wantRolling {
				t.Fatalf("[%d, %d) us: admitted %d, offered %d, rolling %d; want %d, %d, %d", from, to,
					got.Admitted[i], offered.Offered[i], got.Rolling[i], wantAdmitted, wantOffered, wantRolling)
			}
		}
	})
}

func TestReferenceIsTheExactLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, _, run := drawRun(t)
		reference, keys := NewReference(p, 0), NewKeySet()
		of := map[string][]observation{}
		for i, o := range run {
			of[o.Key] = append(of[o.Key], o)
			decided := admits(p, of[o.Key])
			want := decided[len(decided)-1]
			if got := reference.Admit(o.Request, keys.Add(o.Key)); got != want {
				t.Fatalf("request %d, %+v: admitted %v; want %v", i, o.Request, got, want)
			}
		}
	})
}

// The bucket's arithmetic holds where products leave 64 bits.
func TestTheBucketOfTheLargestLimit(t *testing.T) {
	p := limit.Policy{Requests: 999_999_937, Window: 366 * 24 * time.Hour, Burst: limit.MaxRequests,
		Contract: limit.ByBucket}
	var run []observation
	for _, gap := range []int64{0, 1, 31_622, 86_400_000_000, 1, 300 * 86_400_000_000, 0} {
		at := gap
		if n := len(run); n > 0 {
			at += run[n-1].AtUS
		}
		for _, cost := range []int64{limit.MaxRequests, 2_732_240, 1, 2} {
			run = append(run, observation{Request: limit.Request{AtUS: at, Key: "k", Cost: cost}})
		}
	}
	reference := NewReference(p, 0)
	for i, want := range admits(p, run) {
		if got := reference.Admit(run[i].Request, 0); got != want {
			t.Errorf("request %d at %d us of cost %d: %v; want %v", i, run[i].AtUS, run[i].Cost, got, want)
		}
	}
}

// What is delayed counts when it leaves, in the order of leaving.
func TestDeparturesAreWhatCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, duration, run := drawRun(t)
		var left []observation
		for i := range run {
			if run[i].admitted() {
				run[i].delayUS = rapid.SampledFrom([]int64{0, 0, 1, p.WindowUS() / 2, p.WindowUS(), 5000}).Draw(t,
					"delay")
				o := run[i]
				o.AtUS += o.delayUS
				left = append(left, o)
			}
		}
		slices.SortStableFunc(left, func(a, b observation) int { return int(a.AtUS - b.AtUS) })
		m := NewMeter(p, duration)
		exact, refused := observe(m, p, run)
		tally, err := m.Tally(duration, exact, refused)
		if err != nil {
			t.Fatal(err)
		}
		var want Result
		for _, o := range left {
			want.Peak = max(want.Peak, sumIn(left, o.Key, o.AtUS, p.WindowUS()))
		}
		contractOracle(p, left, &want)
		got, err := tally.Result(p)
		want.XLimit = xLimitOracle(p, left, want.Peak)
		if err != nil || got.Peak != want.Peak || got.Excess != want.Excess ||
			math.Abs(got.XLimit-want.XLimit) > 1e-12*want.XLimit {
			t.Fatalf("peak %d, excess %d, x_limit %v; want %d, %d, %v (%v)", got.Peak, got.Excess, got.XLimit,
				want.Peak, want.Excess, want.XLimit, err)
		}
		shaped, delays := tally.Delays.Shaping(), []int64{}
		for _, o := range left {
			delays = append(delays, o.delayUS)
		}
		slices.Sort(delays)
		if len(delays) == 0 || delays[len(delays)-1] == 0 {
			if shaped != nil {
				t.Fatalf("%+v, and nothing was delayed", shaped)
			}
			return
		}
		rank := func(p int) int64 { return delays[(p*len(delays)+99)/100-1] }
		if want := (Shaping{Percentiles{rank(50), rank(99), rank(100)}}); *shaped != want {
			t.Fatalf("%+v; want %+v", *shaped, want)
		}
		if s := m.Series(); len(s.Admitted) != len(newOf(p, duration, run).Series().Admitted) {
			t.Fatalf("%d buckets", len(s.Admitted))
		}
	})
}

// newOf is a meter that saw the run with no delays.
func newOf(p limit.Policy, duration time.Duration, run []observation) *Meter {
	m, keys := NewMeter(p, duration), NewKeySet()
	for _, o := range run {
		m.Observe(o.Request, keys.Add(o.Key), limit.Decision{Verdict: o.verdict})
	}
	_, _ = m.Result(duration, nil, nil)
	return m
}

func TestRoundBuckets(t *testing.T) {
	for _, c := range []struct {
		duration, width time.Duration
	}{
		{time.Microsecond, time.Microsecond}, {511 * time.Microsecond, time.Microsecond}, {512 * time.Microsecond,
			2 * time.Microsecond},
		{time.Second, 2 * time.Millisecond}, {6 * time.Second, 20 * time.Millisecond}, {time.Minute,
			200 * time.Millisecond},
		{time.Hour, 10 * time.Second}, {24 * time.Hour, 5 * time.Minute}, {7 * 24 * time.Hour, 20 * time.Minute},
		{366 * 24 * time.Hour, 24 * time.Hour}, {3660 * 24 * time.Hour, 8 * 24 * time.Hour},
	} {
		if got := newAxis(c.duration).widthUS; got != c.width.Microseconds() {
			t.Errorf("%v: buckets of %d us; want %v", c.duration, got, c.width)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		durationUS := rapid.Int64Range(512, int64(4000*24*time.Hour/time.Microsecond)).Draw(t, "duration_us")
		if n := durationUS / niceWidthUS(durationUS); n >= maxBuckets || n < 200 {
			t.Errorf("%d us: %d buckets", durationUS, n)
		}
	})
}

func TestMemoryGrowsWithLivingKeysOnly(t *testing.T) {
	p := limit.Policy{Requests: 10, Window: 10 * time.Millisecond}
	m, reference := NewMeter(p, 0), NewReference(p, 0)
	const atOnce = 10_000 // keys in a window: one each microsecond
	for i := range int64(20 * atOnce) {
		q := limit.Request{AtUS: i, Key: fmt.Sprint(i), Cost: 1}
		reference.Admit(q, i)
		m.Observe(q, i, limit.Decision{Verdict: limit.Allowed})
	}
	for name, w := range map[string]*windows{"meter": m.windows, "reference": reference.windows} {
		if n := len(w.sums); n > 4*atOnce {
			t.Errorf("%s: %d slots for %d living keys", name, n, atOnce)
		}
	}
}

// fail observes a request that nobody decided.
func fail(m *Meter, q limit.Request) {
	m.Observe(q, 0, limit.Decision{Verdict: limit.Unavailable})
}

func TestWhatCannotBeIsReported(t *testing.T) {
	p := limit.Policy{Requests: 1, Window: time.Second}
	at := func(us, cost int64) limit.Request { return limit.Request{AtUS: us, Key: "k", Cost: cost} }
	for _, c := range []struct {
		name string
		do   func(*Meter)
		want string
	}{
		{"time steps back", func(m *Meter) { fail(m, at(9, 1)); fail(m, at(5, 1)) },
			"request at 5 us with cost 1 after one at 9 us: want times that do not decrease and costs from 1"},
		{"no cost", func(m *Meter) { fail(m, at(9, 0)) },
			"request at 9 us with cost 0 after one at 0 us: want times"},
		{"no such verdict", func(m *Meter) { m.Observe(at(0, 1), 0, limit.Decision{Verdict: 7}) },
			"offered 1 is not admitted 0 + rejected 0 + errors 0"},
		{"a sum overflows", func(m *Meter) { fail(m, at(0, math.MaxInt64)); fail(m, at(0, 1)) },
			"costs -9223372036854775808 offered and 0 admitted are below the requests, 2 and 0: a sum overflowed"},
	} {
		m := NewMeter(p, time.Second)
		c.do(m)
		if _, err := m.Result(time.Second, nil, nil); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: error %v; want %s", c.name, err, c.want)
		}
	}
}

// What leaves after the run is over is on no timeline, also where nobody came for a while before.
func TestWhatLeavesAfterTheEndIsOnNoTimeline(t *testing.T) {
	m := NewMeter(limit.Policy{Requests: 1, Window: 10 * time.Millisecond}, 30*time.Millisecond)
	for _, d := range []struct{ atUS, delayUS int64 }{{0, 0}, {1000, 11_000}, {2000, 58_000}} {
		m.Observe(limit.Request{AtUS: d.atUS, Key: "k", Cost: 1}, 0, limit.Decision{Verdict: limit.Allowed,
			DelayUS: d.delayUS})
	}
	tally, err := m.Tally(30*time.Millisecond, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := tally.Series
	for i, got := range s.Rolling {
		atUS, want := int64(i)*s.BucketUS, int64(0)
		if atUS < 10_000 || atUS >= 12_000 && atUS < 22_000 { // of the first, and of the one that leaves at 12 ms
			want = 1
		}
		if got != want {
			t.Errorf("at %d us %d are in the window; want %d", atUS, got, want)
		}
	}
}
