package load

import (
	"testing"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
	"ratelab/internal/replay"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
)

// planOf is a scenario from its file's text, and all algorithms but the one that decides nothing.
func planOf(t *testing.T, text string) *run.Plan {
	t.Helper()
	s, err := scenario.Parse("test.yaml", []byte("name: test\nquestion: Why?\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	var choices []algorithms.Choice
	for _, name := range algorithms.Names() {
		choice, err := algorithms.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		if name != "none" {
			choices = append(choices, choice)
		}
	}
	c := run.NewPlan(s, run.Instead{})
	var wrong run.Problems
	c.Enter(choices, nil, &wrong)
	if err := wrong.Err(); err != nil {
		t.Fatal(err)
	}
	return &c
}

// options are those of a play of the test's.
func options(s *redis.Server, prefix string) Options {
	return Options{Server: s, Prefix: s.Prefix + prefix, Connections: 4, Clock: NewClock(time.Now()),
		LateAfter: time.Second, IntervalUS: 100_000,
		Around: func(_ *Target, play func() error) error { return play() }}
}

// A window that nobody waits for is met by setting the clients' clocks: 20 requests before its edge, 20 after it, of
// which a window that is kept admits 10 each.
func TestALongWindowIsMetByTheClientsClock(t *testing.T) {
	s := redistest.Private(t)
	c := planOf(t, `limit: {requests: 10, per: 1h}
phases:
  - {name: hour, duration: 3599900ms, pause: true}
  - {name: edge, duration: 200ms, constant: 40}
`)
	part, err := NewPart(c.Scenario.Stream(c.Seed), Wish{From: 3599900 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range c.Limiters {
		played, err := Play(t.Context(), c, e, part, options(s, "long:"+e.Label+":"))
		if err != nil {
			t.Fatalf("%s: %v", e.Label, err)
		}
		// the permit that comes back in 6 minutes is nobody's; a request that is late may fall behind the edge
		if n := played.Differing(verdicts(t, c, e, part)); n > 2 {
			t.Errorf("%s: %d decisions differ from virtual time", e.Label, n)
		}
		if e.Label == "fixed-window-aligned" && played.Accepted < 19 {
			t.Errorf("%s: admitted %d; want 20, with the clients' clocks set", e.Label, played.Accepted)
		}
	}
}

// verdicts are those of virtual time on the part, by the limiter's model.
func verdicts(t *testing.T, c *run.Plan, e *run.Limiter, p *Part) []limit.Verdict {
	t.Helper()
	var all []limit.Verdict
	lane := replay.Row{Decider: replay.NewModel(e.NewModel(), c.Scenario.Start),
		Observe: func(_ []limit.Request, decisions []limit.Decision) error {
			for _, d := range decisions {
				all = append(all, d.Verdict)
			}
			return nil
		}}
	if _, err := replay.Run(t.Context(), p.Traffic(), c.Policy, []replay.Row{lane}, replay.Options{}); err != nil {
		t.Fatal(err)
	}
	return all
}
