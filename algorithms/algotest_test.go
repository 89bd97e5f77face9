package algorithms_test

import (
	"strings"
	"testing"

	"ratelab/algorithms/algotest"
)

// A slip in a trace is an error with its line, not a step that checks nothing.
func TestParseRefusesWhatItDoesNotKnow(t *testing.T) {
	for line, part := range map[string]string{
		"at=0s -> allow\n":                        "x.txt:1: a trace begins with",
		"limit 1/1s\nat=0s -> maybe\n":            "x.txt:2: want -> allow, deny or not-configured",
		"limit 1/1s\nat=0s cost=1\n":              "x.txt:2: want -> allow",
		"limit 1/1s\nat=0s -> allow remainin=1\n": `x.txt:2: unknown field "remainin=1"`,
		"limit 1/1s\nat=zero -> allow\n":          `x.txt:2: duration "zero"`,
		"limit 1/1s\nat=0s cost=one -> allow\n":   "x.txt:2:",
		"limit 1/0s\n":                            "x.txt:1: limit",
	} {
		if _, err := algotest.Parse("x.txt", line); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%q: %v; want %s", line, err, part)
		}
	}
}
