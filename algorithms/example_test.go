package algorithms_test

import (
	"fmt"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/limit"
)

// An algorithm under a limit is a model that decides, with the time as an argument. This one lets two through at once,
// and one more each 100 ms.
func ExampleParse() {
	choice, err := algorithms.Parse("gcra:burst=2")
	if err != nil {
		panic(err)
	}
	instance, err := choice.Under(limit.Policy{Requests: 10, Window: time.Second})
	if err != nil {
		panic(err)
	}
	model := instance.NewModel()
	for _, ms := range []int64{0, 0, 0, 100, 150} {
		d := model.Decide(ms*1000, ms*1000, "client", 1)
		fmt.Printf("at %3d ms: allowed %-5t remaining %d, retry after %d us\n", ms, d.Allowed(), d.Remaining,
			d.RetryAfterUS)
	}
	// Output:
	// at   0 ms: allowed true  remaining 1, retry after 0 us
	// at   0 ms: allowed true  remaining 0, retry after 0 us
	// at   0 ms: allowed false remaining 0, retry after 100000 us
	// at 100 ms: allowed true  remaining 0, retry after 0 us
	// at 150 ms: allowed false remaining 0, retry after 50000 us
}
