package limit_test

import (
	"fmt"

	"ratelab/internal/limit"
)

// ParsePolicy reads a limit as users write it on the command line.
func ExampleParsePolicy() {
	p, err := limit.ParsePolicy("1000/3s")
	fmt.Println(p.Requests, p.Window, p.Capacity(), err)
	// Output: 1000 3s 1000 <nil>
}
