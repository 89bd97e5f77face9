package benchmarktest_test

import (
	"strings"
	"testing"

	"ratelab/internal/result"
	"ratelab/internal/result/benchmarktest"
)

func TestExamplesAddUp(t *testing.T) {
	for name, r := range map[string]*result.Benchmark{
		"example": benchmarktest.Example(), "invalid": benchmarktest.Invalid(), "shared": benchmarktest.Shared(),
	} {
		if err := benchmarktest.Check(r); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Each figure that another one must agree with is seen to, and the message says which.
func TestCheckSees(t *testing.T) {
	for _, c := range []struct {
		want  string
		spoil func(*result.Benchmark)
	}{
		{`schema_version is 0, want 2`, func(r *result.Benchmark) { r.SchemaVersion = 0 }},
		{`kind is "paired", want "bench"`, func(r *result.Benchmark) { r.Kind = "paired" }},
		{`valid is false with 0 reasons`, func(r *result.Benchmark) { r.Validity.Valid = false }},
		{`retry-storm stands there twice`, func(r *result.Benchmark) { r.Runs[0].Scenario = "retry-storm" }},
		{`ten-times-over: none stands there twice`,
			func(r *result.Benchmark) { r.Runs[0].Rows[1].Algorithm = "none" }},
		{`ten-times-over: gcra: offered is 33299, and sent + dropped is 33300`,
			func(r *result.Benchmark) { gcra(r).Open.Offered-- }},
		{`sent is 33299, and accepted + rejected is 33300`,
			func(r *result.Benchmark) { gcra(r).Open.Sent--; gcra(r).Open.Dropped++ }},
		{`accepted is 4990, and the rounds' is 4989`, func(r *result.Benchmark) { gcra(r).Rounds[4].Accepted-- }},
		{`rejected is 28310, and the rounds' is 28309`, func(r *result.Benchmark) { gcra(r).Rounds[0].Rejected-- }},
		{`exact: offered is 6660, and admitted + rejected + errors is 6661`,
			func(r *result.Benchmark) { e := *gcra(r).Exact; e.Errors++; gcra(r).Exact = &e }},
		{`rejected wait counts 28311, and the decisions are 28310`,
			func(r *result.Benchmark) { oneMore(&gcra(r).Open.Latency.Rejected.Wait) }},
		{`the intervals' accepted responses are 4991, and all together 4990`, func(r *result.Benchmark) {
			oneMore(&gcra(r).Open.Intervals[0].Accepted)
		}},
		{`accepted service counts 0`, func(r *result.Benchmark) { gcra(r).Open.Latency.Accepted.Service = nil }},
		{`server_us_per_decision is 1, and the median of the rounds is 8.`,
			func(r *result.Benchmark) { gcra(r).Open.ServerUSPerCall = new(1.0) }},
		{`server_us_per_decision is there without its samples`,
			func(r *result.Benchmark) { gcra(r).Open.ServerUSPerCall = nil }},
		{`cost of gcra: haf: there is no such mix`, func(r *result.Benchmark) { r.Costs[5].Mixes[2].Mix = "haf" }},
		{`cost of gcra: half stands there twice`, func(r *result.Benchmark) { r.Costs[5].Mixes[0].Mix = "half" }},
		{`cost of gcra stands there twice`, func(r *result.Benchmark) { r.Costs[6].Algorithm = "gcra" }},
		{`cost of gcra: half: accepted is`,
			func(r *result.Benchmark) { r.Costs[5].Mixes[2].Accepted++; r.Costs[5].Mixes[2].Rejected-- }},
		{`accepted + rejected is`, func(r *result.Benchmark) { r.Costs[5].Mixes[2].Rejected++ }},
		{`service counts`, func(r *result.Benchmark) { oneMore(&r.Costs[5].Mixes[2].Service) }},
		{`throughput_per_s is 5,`, func(r *result.Benchmark) { r.Costs[5].Mixes[2].ThroughputPerS = 5 }},
		{`round 3: -1 accepted of`, func(r *result.Benchmark) { r.Costs[5].Mixes[2].Samples[2].Accepted = -1 }},
	} {
		r := benchmarktest.Fresh()
		c.spoil(r)
		if err := benchmarktest.Check(r); err == nil || !strings.Contains(err.Error(), c.want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// oneMore puts a histogram with another value in h's place.
func oneMore(h **result.Histogram) {
	*h = &result.Histogram{Histogram: (*h).Clone()}
	(*h).RecordValue(1)
}

func gcra(r *result.Benchmark) *result.BenchRow { return &r.Runs[0].Rows[5] }

// What was out of a histogram's range is missing there, and counted as overflow.
func TestOverflowMayBeMissing(t *testing.T) {
	r := benchmarktest.Fresh()
	gcra(r).Open.Health.Overflow = 1
	gcra(r).Open.Intervals = nil
	gcra(r).Open.Latency.Accepted.Service = result.NewHistogram()
	if err := benchmarktest.Check(r); err != nil {
		t.Error(err)
	}
	oneMore(&gcra(r).Open.Latency.Rejected.Lag)
	if benchmarktest.Check(r) == nil {
		t.Error("an overflow excuses a histogram that holds too much")
	}
}
