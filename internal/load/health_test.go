package load

import (
	"math"
	"runtime"
	"runtime/metrics"
	"testing"
	"time"
)

// Of 1000 pauses since the first reading, 998 took up to 10 µs, one up to 1 ms and one more than that.
func TestQuantilesOfTheRuntimesHistograms(t *testing.T) {
	buckets := []float64{0, 10e-6, 1e-3, math.Inf(1)}
	before := &metrics.Float64Histogram{Buckets: buckets, Counts: []uint64{5, 70, 3}}
	after := &metrics.Float64Histogram{Buckets: buckets, Counts: []uint64{1003, 71, 4}}
	for q, want := range map[float64]time.Duration{
		0.5: 10 * time.Microsecond, 0.998: 10 * time.Microsecond, 0.999: time.Millisecond,
		1: time.Millisecond, // beyond the last bound there is only that bound
	} {
		if got := atQuantile(before, after, q); got != want {
			t.Errorf("at %v: %v; want %v", q, got, want)
		}
	}
	if got := atQuantile(after, after, 0.5); got != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

// A process that stands still as its measurement begins has a stall, though no beat has begun.
func TestAStallAtTheBeginningCounts(t *testing.T) {
	bubble(t, 0, func(t *testing.T, clock Stopwatch) {
		clock.Nap = func(time.Duration) { time.Sleep(time.Second) }
		stop := watchHealth(clock, clock.Now()+heartbeat)
		time.Sleep(time.Second / 2)
		if h := stop(); h.StallMax != time.Second-heartbeat {
			t.Errorf("%v; want the second", h.StallMax)
		}
	})
}

// The machine's gauges tell something: collecting garbage shows as pauses and as processor time.
func TestHealthSeesAGarbageCollection(t *testing.T) {
	before := gauge()
	garbage := 0
	for range 20 {
		garbage += len(make([]byte, 1<<20))
		runtime.GC()
	}
	var h, short Health
	h.since(before, time.Second)
	short.since(before, 99*time.Millisecond)
	if h.GCPauseP999 <= 0 || h.CPUShare <= 0 || garbage == 0 {
		t.Errorf("%+v", h)
	}
	if short.CPUShare != 0 {
		t.Errorf("share %v; want none of so short a time", short.CPUShare)
	}
}
