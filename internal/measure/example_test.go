package measure_test

import (
	"fmt"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/measure"
)

// A meter observes each decision beside the exact one. Here a limiter of 2 per second lets a third request through that
// an exact log would have rejected.
func ExampleMeter() {
	m := measure.NewMeter(limit.Policy{Requests: 2, Window: time.Second}, time.Second)
	for i, exact := range []bool{true, true, false} {
		m.Observe(limit.Request{AtUS: int64(i) * 1000, Key: "client", Cost: 1}, limit.Decision{Verdict: limit.Allowed},
			exact)
	}
	r, err := m.Result(time.Second, 1)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%d of %d admitted, %d in any second: %.1f x the limit; %d falsely\n", r.Admitted, r.Offered,
		r.PeakWindowAdmitted, r.Overshoot, r.FalseAdmits)
	// Output: 3 of 3 admitted, 3 in any second: 1.5 x the limit; 1 falsely
}
