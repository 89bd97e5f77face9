package benchmarktest_test

import (
	"strings"
	"testing"

	"ratelab/internal/result"
	"ratelab/internal/result/benchmarktest"
)

func TestExamplesAddUp(t *testing.T) {
	for name, r := range map[string]*result.Document{
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
		spoil func(*result.Document)
	}{
		{`schema_version is 0, want 3`, func(r *result.Document) { r.SchemaVersion = 0 }},
		{`command is "simulate", want "bench run"`, func(r *result.Document) { r.Command = result.OfSimulate }},
		{`valid is false with 0 reasons`, func(r *result.Document) { r.Validity.Valid = false }},
		{`of 14 latencies 7 have a row`, func(r *result.Document) { r.Runs[0].Scenario = "other" }},
		{`ten-times-over: none stands there twice`,
			func(r *result.Document) { r.Latency[1].Algorithm = "none" }},
		{`ten-times-over: gcra: offered is 33299, and sent + dropped is 33300`,
			func(r *result.Document) { gcra(r).Offered-- }},
		{`sent is 33299, and accepted + rejected is 33300`,
			func(r *result.Document) { gcra(r).Sent--; gcra(r).Dropped++ }},
		{`accepted is 4990, and the rounds' is 4989`, func(r *result.Document) { gcra(r).Rounds[4].Accepted-- }},
		{`rejected is 28310, and the rounds' is 28309`, func(r *result.Document) { gcra(r).Rounds[0].Rejected-- }},
		{`rejected wait counts 28311, and the decisions are 28310`,
			func(r *result.Document) { oneMore(&gcra(r).Outcomes.Rejected.Wait) }},
		{`the intervals' accepted responses are 4991, and all together 4990`, func(r *result.Document) {
			oneMore(&gcra(r).Intervals[0].Accepted)
		}},
		{`accepted service counts 0`, func(r *result.Document) { gcra(r).Outcomes.Accepted.Service = nil }},
		{`server_us_per_decision is 1, and the median of the rounds is 8.`,
			func(r *result.Document) { gcra(r).ServerUSPerCall = new(1.0) }},
		{`server_us_per_decision is there without its samples`,
			func(r *result.Document) { gcra(r).ServerUSPerCall = nil }},
	} {
		r := benchmarktest.Example()
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

func gcra(r *result.Document) *result.Latency { return &r.Latency[5] }
