package measure

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ratelab/internal/limit"
)

// In every interval of every length, the most admitted is that of brute force, and in the window the peak.
func TestMostAdmittedIsBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, duration, run := drawRun(t)
		lengths := append(TimeScales(p.WindowUS()), 1, 7)
		slices.Sort(lengths)
		m := NewMeter(p, duration)
		m.WatchScales(lengths)
		exact, _ := observe(m, p, run)
		got := slices.Clone(m.scales.result())
		for i, length := range lengths {
			want := int64(0)
			for _, o := range run {
				if o.admitted() {
					want = max(want, sumIn(run, o.Key, o.AtUS, length))
				}
			}
			if got[i] != want {
				t.Fatalf("most admitted in %d us is %d; want %d", length, got[i], want)
			}
		}
		r, err := m.Result(duration, exact, nil)
		if err != nil {
			t.Fatal(err)
		}
		if in := got[slices.Index(lengths, p.WindowUS())]; in != r.Peak {
			t.Fatalf("in the window it is %d, and its peak %d", in, r.Peak)
		}
	})
}

// The same over many runs of admissions, with what no interval reaches any more forgotten, and keys swept.
func TestMostAdmittedOverLongTracks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lengths := []int64{1, 10, 400, 1000}
		w := newWindows(100)
		s := newScales(lengths)
		w.release = s.release
		gaps := rapid.SliceOfN(rapid.SampledFrom([]int64{0, 1, 1, 2, 3, 9, 40, 1200}), 20, 20).Draw(t, "gaps")
		keys := rapid.SampledFrom([]int64{1, 3, 2500}).Draw(t, "keys")
		seen, want := map[int64][]admission{}, make([]int64, len(lengths))
		at := int64(0)
		for i := range int64(6000) {
			at += gaps[(i*i+i/20)%20]
			key, cost := i*7919%keys, i%3+1
			slot := w.slot(key, at)
			s.add(slot, at, cost)
			w.add(slot, at, cost, i%4 > 0)
			seen[key] = append(seen[key], admission{at, cost})
			longestSums(seen[key], lengths, want)
		}
		if got := s.result(); !slices.Equal(got, want) {
			t.Fatalf("most admitted in %v us is %v; want %v", lengths, got, want)
		}
	})
}

// longestSums raises want to the sums of the intervals that end at the last of the admissions.
func longestSums(all []admission, lengths, want []int64) {
	end := all[len(all)-1].atUS
	for k, length := range lengths {
		sum := int64(0)
		for i := len(all) - 1; i >= 0 && all[i].atUS > end-length; i-- {
			sum += all[i].signed
		}
		want[k] = max(want[k], sum)
	}
}

// What no interval reaches is forgotten: a track is about as long as twice the longest interval's admissions.
func TestTracksStayShort(t *testing.T) {
	s := newScales([]int64{10, 1000})
	for at := range int64(100_000) {
		s.add(0, at, 1)
	}
	if n := len(s.tracks[0].entries); n > 2*1000+2*runLength {
		t.Errorf("%d entries", n)
	}
	if got := s.result(); !slices.Equal(got, []int64{10, 1000}) {
		t.Errorf("most admitted %v", got)
	}
}

func TestTimeScales(t *testing.T) {
	ms := func(us ...float64) (all []int64) {
		for _, v := range us {
			all = append(all, int64(v*1000))
		}
		return all
	}
	for window, want := range map[time.Duration][]int64{
		time.Millisecond:        ms(1, 1.5, 2, 3, 5, 7, 10),
		2500 * time.Microsecond: ms(1, 1.5, 2, 2.5, 3, 5, 7, 10, 15, 20, 25),
		100 * time.Millisecond: ms(1, 1.5, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700,
			1000),
	} {
		if got := TimeScales(window.Microseconds()); !slices.Equal(got, want) {
			t.Errorf("of a window of %v: %v; want %v", window, got, want)
		}
	}
	if got := TimeScales(limit.MaxWindow.Microseconds()); len(got) > 75 {
		t.Errorf("the longest window has %d scales", len(got))
	}
}

func TestAllowed(t *testing.T) {
	p := limit.Policy{Requests: 10, Window: 3 * time.Second, Burst: 4, Contract: limit.ByBucket}
	if got := Allowed(p, []int64{1000, 300_000, 3_000_000, 3_299_999, math.MaxInt64}); !slices.Equal(got,
		[]int64{4, 5, 14, 14, 30744573456186}) {
		t.Errorf("got %v", got)
	}
	p.Contract = limit.ByWindow
	if got := Allowed(p, []int64{1000, 3_000_000, 3_000_001, math.MaxInt64}); !slices.Equal(got,
		[]int64{10, 10, 20, 30744573456190}) {
		t.Errorf("by the window: %v", got)
	}
	p = limit.Policy{Requests: limit.MaxRequests, Window: time.Millisecond, Contract: limit.ByBucket}
	if got := Allowed(p, []int64{1000, math.MaxInt64}); !slices.Equal(got,
		[]int64{2 * limit.MaxRequests, math.MaxInt64}) {
		t.Errorf("got %v", got)
	}
}

// The largest quotient of every length up to 40 windows, one by one.
func TestGuaranteeIsTheLargestOfAllLengths(t *testing.T) {
	const w = 1000
	linear := func(us int64) int64 { return 9 + 7*(us-1)/w }
	touching := func(us int64) int64 { return 7 * ((us-1+w-1)/w + 1) }
	covering := func(us int64) int64 { return 7 * ((us-1)/w + 1) }
	finer := func(us int64) int64 { return 3 * ((us-1+299)/300 + 1) }
	for name, most := range map[string]func(int64) int64{"bucket": linear, "aligned": touching, "log": covering,
		"finer": finer} {
		for _, burst := range []int64{1, 7, 9, 100} {
			p := limit.Policy{Requests: 7, Window: w * time.Microsecond, Burst: burst, Contract: limit.ByBucket}
			want := 0.0
			for us := range int64(40 * w) {
				want = max(want, float64(most(us+1))/(float64(burst)+7*float64(us)/w))
			}
			got := Guarantee(p, most)
			rate := float64(most(1e12)) / 7e9 // what the longest intervals approach
			if want = max(want, rate); math.Abs(got-want) > 1e-4*want {
				t.Errorf("%s, burst %d: %v; want %v", name, burst, got, want)
			}
		}
	}
	if p := (limit.Policy{Requests: 7, Window: w * time.Microsecond}); Guarantee(p, touching) != 2 {
		t.Errorf("by the window %v; want 2", Guarantee(p, touching))
	}
}
