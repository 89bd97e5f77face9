package run_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/result"
	. "ratelab/internal/run"
	"ratelab/internal/scenario"
	"ratelab/internal/traffic"
)

// moved decides a scenario with all requests but the first one moved in time, or all.
func moved(t *testing.T, s *scenario.Scenario, us int64, all bool) *result.Run {
	t.Helper()
	if all {
		again := *s
		again.Start = s.Start.Add(time.Duration(us) * time.Microsecond)
		s, us = &again, 0
	}
	j := job(s)
	plans, err := j.Plans()
	if err != nil {
		t.Fatal(err)
	}
	p := plans[0]
	if us != 0 {
		var requests []limit.Request
		for q, err := range p.Stream.Requests() {
			if err != nil {
				t.Fatal(err)
			}
			if len(requests) > 0 {
				q.AtUS = max(q.AtUS+us, requests[0].AtUS)
			}
			requests = append(requests, q)
		}
		lasts, _ := p.Stream.Duration()
		p.Stream = traffic.List(requests, lasts+time.Millisecond, true)
	}
	r, err := j.Play(context.Background(), []*Plan{p})
	if err != nil {
		t.Fatal(err)
	}
	return &r.Document.Runs[0]
}

// No cell of the matrix of built-in scenarios depends on one millisecond, unless the scenario is about equal instants
// and says so: then some cell does.
func TestNoScenarioDependsOnAMillisecond(t *testing.T) {
	for _, s := range builtinScenarios(t, scenario.Names()...) {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			asWritten := moved(t, s, 0, false)
			if asWritten.ClientGroups != nil { // no row of the matrix
				t.Skip("clients react")
			}
			var changed []string
			for name, other := range map[string]*result.Run{
				"all but the first 1 ms later":   moved(t, s, 1000, false),
				"all but the first 1 ms earlier": moved(t, s, -1000, false),
				"all 1 ms earlier":               moved(t, s, -1000, true),
			} {
				for i, a := range asWritten.Results {
					b := other.Results[i]
					differ := max(a.Admitted-b.Admitted, b.Admitted-a.Admitted)
					if (a.XLimit > 1) != (b.XLimit > 1) || differ > 1 && 100*differ > a.Offered {
						changed = append(changed, fmt.Sprintf("%s: %s admits %d, not %d, of %d; x limit %v, not %v",
							name, a.Algorithm, b.Admitted, a.Admitted, a.Offered, b.XLimit, a.XLimit))
					}
				}
			}
			switch {
			case changed != nil && !s.Boundary:
				t.Errorf("mend the instants, or say boundary: true\n%s", strings.Join(changed, "\n"))
			case changed == nil && s.Boundary:
				t.Error("boundary: true, but nothing depends on a millisecond")
			}
		})
	}
}
