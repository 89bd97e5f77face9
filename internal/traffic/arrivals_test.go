package traffic

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func arrive(a Arrivals, d time.Duration) (all []int64) {
	a.times(d, Random(1, "phase", "arrivals"), func(us int64) bool {
		all = append(all, us)
		return true
	})
	return all
}

func rate(count int64, per time.Duration) Rate { return Rate{Count: count, Per: per} }

// TestArrivalsByHand are traces small enough to be worked out on paper, in microseconds.
func TestArrivalsByHand(t *testing.T) {
	cases := []struct {
		name     string
		arrivals Arrivals
		duration time.Duration
		want     []int64
	}{
		{"a count is spread from the start, thirds are cut", Steady{rate(3, time.Second)}, time.Second,
			[]int64{0, 333333, 666666}},
		{"a rate goes on until the phase ends, which is not part of it", Steady{rate(4, time.Second)}, time.Second,
			[]int64{0, 250000, 500000, 750000}},
		{"one more microsecond has one more arrival", Steady{rate(4, time.Second)}, time.Second + time.Microsecond,
			[]int64{0, 250000, 500000, 750000, 1000000}},
		{"a rate per minute", Steady{rate(2, time.Minute)}, 80 * time.Second, []int64{0, 30e6, 60e6}},
		// N(t) = t² per s: arrivals 0 to 3 at 0, 1, √2 and √3 s.
		{"a ramp from nothing", Ramp{rate(0, time.Second), rate(4, time.Second)}, 2 * time.Second,
			[]int64{0, 1000000, 1414213, 1732050}},
		// Its mirror image falls to nothing: N(t) = 4t − t², so i arrivals are due at 2 − √(4−i) s.
		{"a ramp to nothing", Ramp{rate(4, time.Second), rate(0, time.Second)}, 2 * time.Second,
			[]int64{0, 267949, 585786, 1000000}},
		{"a flat ramp is a constant", Ramp{rate(4, time.Second), rate(4, time.Second)}, time.Second,
			[]int64{0, 250000, 500000, 750000}},
		{"each stair begins anew", Steps{Start: 1, Step: 1, Per: time.Second, On: time.Second, Every: time.Second},
			2500 * time.Millisecond, []int64{0, 1000000, 1500000, 2000000, 2333333}},
		{"a stair of nobody", Steps{Start: 0, Step: 2, Per: time.Second, On: time.Second, Every: time.Second},
			2 * time.Second, []int64{1000000, 1500000}},
		{"a burst needs no time", Burst{Size: 3}, 0, []int64{0, 0, 0}},
		{"bursts repeat before the end", Burst{Size: 2, Every: time.Second}, 2 * time.Second,
			[]int64{0, 0, 1000000, 1000000}},
		{"on, off, and on until the end", Steps{Start: 2, Per: time.Second, On: time.Second, Every: 3 * time.Second},
			3500 * time.Millisecond, []int64{0, 500000, 3000000}},
		{"nobody", Steady{rate(0, time.Second)}, time.Hour, nil},
		// The quantiles 1/6, 1/2 and 5/6 of a normal distribution cut at 3σ are −0.9638σ, 0 and +0.9638σ.
		{"a spike is symmetric", Spike(3), 6 * time.Second, []int64{2036174, 3000000, 3963825}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := arrive(c.arrivals, c.duration)
			if !slices.Equal(got, c.want) {
				t.Errorf("arrivals %v, want %v", got, c.want)
			}
		})
	}
}

// TestNoDrift: after a day at 333 per second the arrival is where exact arithmetic puts it. A float interval of
// 3003 µs would be 86 ms off.
func TestNoDrift(t *testing.T) {
	i, last := int64(0), int64(0)
	Steady{rate(333, time.Second)}.times(24*time.Hour, nil, func(at int64) bool {
		i, last = i+1, at
		return true
	})
	if want := int64(333 * 86400); i != want || last != (want-1)*1e6/333 {
		t.Errorf("%d arrivals, the last at %d µs; want %d, at %d µs", i, last, want, (want-1)*1e6/333)
	}
}

// anyArrivals draws a shape and a duration that suits it.
func anyArrivals(t *rapid.T) (Arrivals, time.Duration) {
	us := func(name string, least, most int64) time.Duration {
		return time.Duration(rapid.Int64Range(least, most).Draw(t, name)) * time.Microsecond
	}
	d := us("duration", 1, 20e6)
	r := func(name string, least int64) Rate {
		return rate(rapid.Int64Range(least, 200).Draw(t, name), us(name+" per", 1e5, 2e6))
	}
	n := rapid.Int64Range(1, 2000).Draw(t, "n")
	switch rapid.SampledFrom([]string{"constant", "steady", "poisson", "ramp", "steps", "burst", "bursts", "spike",
		"sine", "onoff"}).Draw(t, "shape") {
	case "constant":
		return Steady{rate(n, d)}, d
	case "steady":
		return Steady{r("rate", 1)}, d
	case "poisson":
		return Poisson{r("rate", 1)}, d
	case "ramp":
		return Ramp{r("from", 0), r("to", 1)}, d
	case "steps":
		every := us("every", 1e5, 5e6)
		return Steps{Start: n % 10, Step: 1 + n%7, Per: us("per", 1e5, 2e6), On: every, Every: every}, d
	case "burst":
		return Burst{Size: n}, d
	case "bursts":
		return Burst{Size: 1 + n%20, Every: us("every", 1e5, 5e6)}, d
	case "spike":
		return Spike(n), d
	case "sine":
		mean := r("mean", 1)
		return Sine{Mean: mean, Amplitude: rate(rapid.Int64Range(0, mean.Count).Draw(t, "amplitude"), mean.Per),
			Period: us("period", 1e5, 20e6)}, d
	}
	on := us("on", 1, 5e6)
	return Steps{Start: n % 200, Per: us("per", 1e5, 2e6), On: on, Every: on + us("off", 1, 5e6)}, d
}

// TestEveryShapeKeepsTheContract: in order, inside the phase, as many as Count says, and the same every time.
func TestEveryShapeKeepsTheContract(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, d := anyArrivals(t)
		times := arrive(a, d)
		if !slices.IsSorted(times) {
			t.Fatalf("%#v over %v runs backwards", a, d)
		}
		if len(times) > 0 && (times[0] < 0 || times[len(times)-1] >= d.Microseconds()) {
			t.Fatalf("%#v over %v: first %d, last %d µs", a, d, times[0], times[len(times)-1])
		}
		if _, chance := a.(Poisson); !chance && int64(len(times)) != a.count(d) {
			t.Fatalf("%#v over %v: %d arrivals, Count says %d", a, d, len(times), a.count(d))
		}
		if !slices.Equal(times, arrive(a, d)) {
			t.Fatalf("%#v over %v: not the same twice", a, d)
		}
	})
}

// TestSineInvertsItsIntegral holds each arrival against the definition: fewer than i arrivals are due a microsecond
// before it, and i at the microsecond after.
func TestSineInvertsItsIntegral(t *testing.T) {
	for _, amplitude := range []int64{0, 80, 100} {
		s := Sine{Mean: rate(100, time.Second), Amplitude: rate(amplitude, time.Second), Period: 10 * time.Second}
		due := func(us float64) float64 {
			t := us / 1e6
			return 100*t + float64(amplitude)*10/(2*math.Pi)*(1-math.Cos(2*math.Pi*t/10))
		}
		for i, at := range arrive(s, 25*time.Second) {
			// Where the rate touches zero, a microsecond holds 1e-11 arrivals: compare in arrivals, not in time.
			if n := float64(i); due(float64(at)) > n+1e-6 || due(float64(at)+1) < n-1e-6 {
				t.Fatalf("amplitude %d: arrival %d at %d µs, where %.9f are due", amplitude, i, at, due(float64(at)))
			}
		}
	}
}

// TestPoissonIsPoisson: counts in cells of a second have mean and variance 50 (dispersion 1), and 1 − 1/e of the
// gaps are shorter than their mean.
func TestPoissonIsPoisson(t *testing.T) {
	const seconds, mean = 4000, 50.0
	counts := make([]float64, seconds)
	var last, short, gaps int64
	Poisson{rate(50, time.Second)}.times(seconds*time.Second, Random(7, "p", "arrivals"), func(at int64) bool {
		counts[at/1e6]++
		if gaps++; at-last < 20000 {
			short++
		}
		last = at
		return true
	})
	sum, squares := 0.0, 0.0
	for _, c := range counts {
		sum, squares = sum+c, squares+(c-mean)*(c-mean)
	}
	if m := sum / seconds; math.Abs(m-mean) > 4*math.Sqrt(mean/seconds) {
		t.Errorf("mean %.3f per second, want %v ± %.3f", m, mean, 4*math.Sqrt(mean/seconds))
	}
	if v := squares / seconds / mean; math.Abs(v-1) > 4*math.Sqrt(2.0/seconds) {
		t.Errorf("dispersion %.3f, want 1 ± %.3f", v, 4*math.Sqrt(2.0/seconds))
	}
	if p := float64(short) / float64(gaps); math.Abs(p-(1-1/math.E)) > 0.005 {
		t.Errorf("%.4f of the gaps are shorter than the mean, want %.4f", p, 1-1/math.E)
	}
}

// TestSpikeIsABell: of 1000 arrivals within ±3σ, 68.27/99.73 of them lie within ±σ.
func TestSpikeIsABell(t *testing.T) {
	within := 0
	for _, at := range arrive(Spike(1000), 6*time.Second) {
		if at >= 2e6 && at < 4e6 {
			within++
		}
	}
	if within < 684 || within > 685 {
		t.Errorf("%d of 1000 arrivals within one σ of the peak, want 684.5", within)
	}
}

func TestParseRate(t *testing.T) {
	for text, want := range map[string]Rate{
		"400/s": rate(400, time.Second), "100/1m": rate(100, time.Minute), "1/250ms": rate(1, 250*time.Millisecond),
		"0/s": rate(0, time.Second), "5000/d": rate(5000, 24*time.Hour), "3/1m30s": rate(3, 90*time.Second),
	} {
		got, err := ParseRate(text)
		if err != nil || got != want {
			t.Errorf("ParseRate(%q) = %v, %v; want %v", text, got, err, want)
		}
		if back, err := ParseRate(got.String()); err != nil || back != got {
			t.Errorf("%q prints as %q, which reads as %v, %v", text, got, back, err)
		}
	}
	for text, want := range map[string]string{
		"400":       `rate "400": it has no unit; want COUNT/UNIT, such as 400/s, 100/1m or 1/250ms`,
		"x/s":       `rate "x/s": "x" is not a whole number; want COUNT/UNIT, such as 400/s, 100/1m or 1/250ms`,
		"1.5/s":     `rate "1.5/s": "1.5" is not a whole number; want COUNT/UNIT, such as 400/s, 100/1m or 1/250ms`,
		"-1/s":      `rate "-1/s": the count is not within 0 to 1000000000; want COUNT/UNIT, such as 400/s, 100/1m or 1/250ms`,
		"1/":        `rate "1/": "" is not a unit of time; want COUNT/UNIT, such as 400/s, 100/1m or 1/250ms`,
		"1/fortnig": `rate "1/fortnig": "fortnig" is not a unit of time; want COUNT/UNIT, such as 400/s, 100/1m or 1/250ms`,
		"1/10ns":    `rate "1/10ns": "10ns" is not a whole number of microseconds up to 8784h; want COUNT/UNIT, such as 400/s, 100/1m or 1/250ms`,
		"1/0s":      `rate "1/0s": "0s" is not a whole number of microseconds up to 8784h; want COUNT/UNIT, such as 400/s, 100/1m or 1/250ms`,
	} {
		if _, err := ParseRate(text); err == nil || err.Error() != want {
			t.Errorf("ParseRate(%q): %v\nwant %s", text, err, want)
		}
	}
}
