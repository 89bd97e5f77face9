package main

import (
	"strings"
	"testing"

	"ratelab/internal/limit"
	"ratelab/internal/result"
	"ratelab/internal/run"
)

// A shaper's delay is named, and so is a limiter that decides otherwise only once.
func TestTheFirstDifferenceInWords(t *testing.T) {
	c := &run.Comparison{Parts: &result.Run{Scenario: "storm"}}
	if got := where(c); !strings.HasPrefix(got, "first in storm ") || !strings.Contains(got, "is not deterministic") {
		t.Error(got)
	}
	c.First = &run.DifferenceError{Number: 7, Model: limit.Decision{Verdict: limit.Allowed, DelayUS: 2000},
		Server: limit.Decision{Verdict: limit.Allowed}}
	if got := where(c); !strings.HasSuffix(got, "at 0s: base admits it after 2ms, head admits it") {
		t.Error(got)
	}
}
