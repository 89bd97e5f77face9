package measure_test

import (
	"fmt"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/measure"
)

// A meter observes each decision. Here a limiter of 2 per second admits a third request.
func ExampleMeter() {
	p := limit.Policy{Requests: 2, Window: time.Second}
	m := measure.NewMeter(p, time.Second)
	for i := range int64(3) {
		q := limit.Request{AtUS: i * 1000, Key: "client", Cost: 1}
		m.Observe(q, 0, limit.Decision{Verdict: limit.Allowed})
	}
	r, err := m.Result(time.Second, nil, nil)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%d of %d admitted, %d in any second: %.1f x the limit; excess %d\n", r.Admitted, r.Offered,
		r.Peak, r.XLimit, r.Excess)
	// Output: 3 of 3 admitted, 3 in any second: 1.5 x the limit; excess 1
}
