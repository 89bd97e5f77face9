package load

import (
	"testing"
	"time"
)

// Of a backlog without an end what is done is not kept.
func TestABacklog(t *testing.T) {
	q := newQueue(1)
	batch := []*call{{due: 0}, {due: 1}, {due: 2}}
	q.push(batch)
	if len(q.calls) != 3 || !batch[2].poolWait {
		t.Errorf("%d calls are waiting, the third %+v", len(q.calls), batch[2])
	}
	for want := range 1000 {
		if c := q.pop(); c == nil || c.due != time.Duration(want) {
			t.Fatalf("took %+v; want %d", c, want)
		}
		q.push([]*call{{due: time.Duration(want + 3)}})
	}
	if cap(q.calls) > 16 {
		t.Errorf("room for %d calls, where 3 wait at the most", cap(q.calls))
	}
	q.end(false)
	for range 3 {
		if q.pop() == nil {
			t.Error("what is left at the end is not done")
		}
	}
	if q.pop() != nil {
		t.Error("a call after the end")
	}
}
