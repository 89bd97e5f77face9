package scenario_test

import (
	"fmt"

	"ratelab/internal/scenario"
)

// A scenario is a file, and its stream the requests that the file describes: the same ones for the same seed.
func ExampleParse() {
	edge, err := scenario.Parse("edge.yaml", []byte(`
name: edge
question: What gets through around the edge of a window?
limit: {requests: 2, per: 1s}
phases:
  - {name: nothing, duration: 990ms, pause: true}
  - {name: edge, duration: 20ms, constant: 4}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for request, err := range edge.Stream(1).Requests() {
		fmt.Println(request.AtUS, request.Key, request.Cost, err)
	}
	_, err = scenario.Parse("edge.yaml", []byte("name: edge\nlimit: 2 a second\n"))
	fmt.Println(err)
	// Output:
	// 990000 k0 1 <nil>
	// 995000 k0 1 <nil>
	// 1000000 k0 1 <nil>
	// 1005000 k0 1 <nil>
	// edge.yaml:1:1: question: missing; want the question that the scenario answers
	// edge.yaml:1:1: phases: missing; want a list of at least one phase
	// edge.yaml:2:8: limit: "2 a second": want REQUESTS/WINDOW, such as 100/1m
}
