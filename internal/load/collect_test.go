package load

import (
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"pgregory.net/rapid"
)

// However calls fall into intervals and onto sheets, the whole is what one histogram per kind would have counted, and
// so are the intervals together.
func TestIntervalsTogetherAreTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newCollector(false, rapid.Int64Range(1, 5_000_000).Draw(t, "width_us"))
		want := map[bool]Durations{true: NewDurations(), false: NewDurations()}
		var collected = make(chan struct{})
		go func() { c.run(); close(collected) }()
		recorders := []*recorder{c.recorder(), c.recorder(), c.recorder()}
		span := rapid.Int64Range(0, 70_000_000_000)
		var overflow, warmUp, read int64
		for n := range rapid.IntRange(0, 700).Draw(t, "calls") {
			s := sample{due: time.Duration(span.Draw(t, "due_ns")) - time.Second,
				allowed: rapid.Bool().Draw(t, "allowed"), bytesRead: 7}
			s.handed = s.due + time.Duration(span.Draw(t, "lag_ns"))
			s.written = s.handed + time.Duration(span.Draw(t, "wait_ns"))/1000
			s.replied = s.written + time.Duration(span.Draw(t, "service_ns"))/1_000_000
			recorders[n%3].add(s)
			if s.due < 0 {
				warmUp++
				continue
			}
			read += 7
			d := want[s.allowed]
			overflow += keep(d.Lag, s.handed-s.due) + keep(d.Wait, s.written-s.handed) + keep(d.Service,
				s.replied-s.written) + keep(d.Response, s.replied-s.due)
		}
		for _, r := range recorders {
			r.close()
		}
		close(c.sheets)
		<-collected
		r := c.result(Stopwatch{}, 0, 3)
		together := map[bool]Durations{true: NewDurations(), false: NewDurations()}
		accepted := int64(0)
		for n, i := range r.Intervals {
			accepted += i.Accepted
			together[true].Merge(i.OfAccepted())
			together[false].Merge(i.OfRejected())
			if n > 0 && i.StartUS <= r.Intervals[n-1].StartUS {
				t.Fatalf("interval %d begins at %d, after %d", n, i.StartUS, r.Intervals[n-1].StartUS)
			}
		}
		same(t, want[true], r.OfAccepted)
		same(t, want[false], r.OfRejected)
		same(t, want[true], together[true])
		same(t, want[false], together[false])
		if r.Overflow != overflow || r.WarmUp != warmUp || r.BytesRead != read || r.Accepted != accepted ||
			r.Sent != read/7 {
			t.Fatalf("%+v; want %d overflow, %d warming up, %d bytes read", r, overflow, warmUp, read)
		}
	})
}

// keep records d to the nearest microsecond, or says that it is too long.
func keep(h *hdrhistogram.Histogram, d time.Duration) (overflow int64) {
	us := d.Round(time.Microsecond).Microseconds()
	if us > MostUS {
		return 1
	}
	if err := h.RecordValue(us); err != nil {
		panic(err)
	}
	return 0
}

func same(t *rapid.T, want, got Durations) {
	t.Helper()
	if !got.Lag.Equals(want.Lag) || !got.Wait.Equals(want.Wait) || !got.Service.Equals(want.Service) ||
		!got.Response.Equals(want.Response) {
		t.Fatal("the histograms differ")
	}
}
