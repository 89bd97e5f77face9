package bench

import (
	"testing"
	"time"
)

// small has a request every 500 µs, from 0 on.
func TestPlayedIsTheBeginning(t *testing.T) {
	s := written(t, small)
	for _, c := range []struct {
		most     time.Duration
		requests int
		lasts    time.Duration
	}{
		{time.Millisecond, 3, time.Millisecond}, // at 0, 500 and 1000 µs
		{999 * time.Microsecond, 2, 999 * time.Microsecond},
		{time.Hour, 400, 200 * time.Millisecond},
	} {
		p := &played{stream: s.Stream(1), most: c.most}
		n := 0
		for _, err := range p.Requests() {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		if d, known := p.Duration(); n != c.requests || d != c.lasts || !known {
			t.Errorf("of the first %v there are %d requests in %v, known %t; want %d in %v", c.most, n, d, known,
				c.requests, c.lasts)
		}
	}
	p := &played{stream: s.Stream(1), most: time.Hour}
	if first, err := p.first(3); err != nil || len(first) != 3 || first[2].AtUS != 1000 {
		t.Errorf("the first are %v, %v", first, err)
	}
	if keys, err := p.keys(1); err != nil || len(keys) != 1 {
		t.Errorf("keys %q, %v; want one", keys, err)
	}
	if keys, err := p.keys(10); err != nil || len(keys) != 2 {
		t.Errorf("keys %q, %v; want both", keys, err)
	}
}
