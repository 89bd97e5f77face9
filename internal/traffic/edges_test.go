package traffic

import (
	"testing"

	"ratelab/internal/limit"
)

// The requests come in order, are the same each time, and are where limiters break: at the edges of aligned windows and
// beside them, in bursts of the limit and one more.
func TestEdgesAreSought(t *testing.T) {
	for _, text := range []string{"10/1s", "100/1h", "333/1s", "1000000/24h", "1000/3s", "1/1s"} {
		p, err := limit.ParsePolicy(text)
		if err != nil {
			t.Fatal(err)
		}
		e := Edges(p, 3, true)
		var all []limit.Request
		for q, err := range e.Requests() {
			if err != nil || len(all) > 0 && q.AtUS < all[len(all)-1].AtUS || q.AtUS < 0 || q.Cost < 1 {
				t.Fatalf("%s: %+v after %+v: %v", text, q, all[len(all)-1], err)
			}
			all = append(all, q)
		}
		if len(all) != edgeRequests {
			t.Fatalf("%s: %d requests", text, len(all))
		}
		if d, known := e.Duration(); !known || d.Microseconds() != all[len(all)-1].AtUS+1 {
			t.Errorf("%s: it lasts %v, known %v; the last is at %d us", text, d, known, all[len(all)-1].AtUS)
		}
		again := 0
		for q := range Edges(p, 3, true).Requests() {
			if q != all[again] {
				t.Fatalf("%s: the second time request %d is %+v, not %+v", text, again+1, q, all[again])
			}
			again++
		}
		near := map[int64]int{}
		window := p.WindowUS()
		for _, q := range all {
			in := q.AtUS % window
			if in > window/2 {
				in -= window
			}
			near[in]++
		}
		for _, us := range []int64{-1000, -1, 0, 1, 1000} {
			if near[us] == 0 {
				t.Errorf("%s: none at %d us from a window's edge", text, us)
			}
		}
	}
}
