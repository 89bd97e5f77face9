package load

import (
	"testing"
	"time"
)

// A backlog without an end is bounded, what is beyond is dropped and counted, and what is done is not kept.
func TestABacklogIsBounded(t *testing.T) {
	q := newQueue(1, 3)
	batch := []job{{due: -1}, {due: 1}, {due: 2}, {due: 3}, {due: 4}}
	q.push(batch, 0)
	q.push([]job{{due: -1}}, 0) // warming up: not counted
	if len(q.jobs) != 3 || q.spilled != 2 || q.poolWaits != 2 {
		t.Errorf("%d jobs, %d spilled, %d waits; want 3, 2 and 2: one of those that wait warms up", len(q.jobs),
			q.spilled, q.poolWaits)
	}
	for want := range 1000 {
		j, ok := q.pop()
		if want >= 3 && (!ok || j.due != time.Duration(want)) {
			t.Fatalf("took %v, %v; want %d", j.due, ok, want)
		}
		q.push([]job{{due: time.Duration(want + 3)}}, 0)
	}
	if cap(q.jobs) > 16 {
		t.Errorf("room for %d jobs, where 3 wait at the most", cap(q.jobs))
	}
	q.end()
	for range 3 {
		if _, ok := q.pop(); !ok {
			t.Error("what is left at the end is not done")
		}
	}
	if _, ok := q.pop(); ok {
		t.Error("a job after the end")
	}
}
