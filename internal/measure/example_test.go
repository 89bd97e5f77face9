package measure_test

import (
	"fmt"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/measure"
)

// A meter observes each decision beside that of an exact limiter in the same place. Here a limiter of 2 per second lets
// a third request through, which an exact limiter behind it would still refuse.
func ExampleMeter() {
	p := limit.Policy{Requests: 2, Window: time.Second}
	m, exact := measure.NewMeter(p, time.Second), measure.NewReference(p, 0)
	for i := range int64(3) {
		q := limit.Request{AtUS: i * 1000, Key: "client", Cost: 1}
		m.Observe(q, 0, limit.Decision{Verdict: limit.Allowed}, exact.Admit(q, 0))
	}
	r, err := m.Result(time.Second, 1, nil)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%d of %d admitted, %d in any second: %.1f x the limit; excess %d\n", r.Admitted, r.Offered,
		r.PeakWindowAdmitted, r.Overshoot, r.Excess)
	// Output: 3 of 3 admitted, 3 in any second: 1.5 x the limit; excess 1
}
