package bench

import (
	"strings"
	"testing"

	"ratelab/internal/longtest"
	"ratelab/internal/result"
)

// By hand: 10 and 30 decisions with 20 and 40 calls, 1 and 3 keys of 100 and 500 bytes together.
func TestWorkAddsUp(t *testing.T) {
	row := func(offered, keys, withoutTTL int64, calls, bytes float64) *result.Row {
		r := &result.Row{}
		r.Offered, r.KeysLeft, r.KeysWithoutTTL = offered, &keys, &withoutTTL
		r.Commands, r.RoundTrips, r.BytesPerKey = &calls, new(1.), &bytes
		return r
	}
	w := together([]*result.Row{row(10, 1, 0, 2, 100), row(30, 3, 2, 40./30, 500./3)})
	if *w.Commands != 1.5 || *w.RoundTrips != 1 || *w.BytesPerKey != 150 || *w.KeysLeft != 4 ||
		*w.KeysWithoutTTL != 2 {
		t.Errorf("calls %v, trips %v, bytes %v, keys %v and %v", *w.Commands, *w.RoundTrips,
			*w.BytesPerKey, *w.KeysLeft, *w.KeysWithoutTTL)
	}
	if w = together(nil); w.Commands != nil || w.BytesPerKey != nil || *w.KeysLeft != 0 {
		t.Errorf("of nothing: %+v", w)
	}
}

// A log keeps an entry of more than ten bytes for each request of the window; nothing is kept without a state.
func TestFillsAreOfOneWindow(t *testing.T) {
	longtest.Skip(t, "measures for a second")
	j := tiny(t, "sliding-window-log")
	j.Rounds, j.Sweep, j.WarmUp, j.Fills = 1, []int{}, -1, []int64{10, 100}
	r := runJob(t, j)
	none, log := r.Costs[0].Memory, r.Costs[1].Memory
	if none[1].Bytes != 0 || none[1].Keys != 0 || none[1].Entries != 100 {
		t.Errorf("none keeps %+v", none[1])
	}
	if log[1].Keys != 1 || log[1].Bytes < 1000 || log[0].Bytes >= log[1].Bytes {
		t.Errorf("the log keeps %+v", log)
	}
	for _, note := range r.Notes {
		if strings.Contains(note, "memory fill") { // of fewer entries than were asked for
			t.Errorf("note %q", note)
		}
	}
}
