package bench

import (
	"strings"
	"testing"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/load"
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
	"ratelab/internal/result"
	"ratelab/internal/scenario"
)

// tiny is a job that takes about a second on a private server.
func tiny(t testing.TB, labels ...string) *Job {
	t.Helper()
	redistest.Private(t) // or skip
	return &Job{
		Scenarios: []*scenario.Scenario{written(t, small)}, Algorithms: choices(t,
			labels...), Server: redis.KindProcess,
		Rounds: 2, Wish: load.Wish{For: 100 * time.Millisecond}, WarmUp: 10 * time.Millisecond,
		Connections: 2, Version: "test", Clock: load.Wall,
	}
}

// small is 400 requests in 200 ms for two keys, of which no more than 40 each are to be admitted.
const small = `name: small
question: Does it add up?
limit: {requests: 40, per: 1h}
keys: {count: 2, distribution: sequential}
phases:
  - {name: all, duration: 200ms, constant: 400}
`

// written is a scenario from its file's text, whose name is in its first line.
func written(t testing.TB, text string) *scenario.Scenario {
	t.Helper()
	name, _, _ := strings.Cut(strings.TrimPrefix(text, "name: "), "\n")
	s, err := scenario.Parse(name+".yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func choices(t testing.TB, labels ...string) []algorithms.Choice {
	t.Helper()
	all := []algorithms.Choice{}
	for _, label := range labels {
		c, err := algorithms.Parse(label)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

// runJob does the job, which must come to its end, and checks the result's sums.
func runJob(t testing.TB, j *Job) *result.Document {
	t.Helper()
	r, err := j.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := addsUp(r); err != nil {
		t.Errorf("the result does not add up: %v", err)
	}
	for _, reason := range r.Validity.Reasons {
		if reason.Code == "calls" {
			t.Errorf("%s: %s", reason.Where, reason.Statement)
		}
	}
	return r
}
