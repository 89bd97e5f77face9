package main

import (
	"maps"
	"testing"
)

func TestTheReasonOfASkippedTest(t *testing.T) {
	all := tests{output: map[string][]string{}, reasons: map[string]int{}}
	for name, output := range map[string][]string{
		"TestPlain": {"=== RUN   TestPlain\n", "    a_test.go:12: looked at b.go:3: nothing\n",
			"    a_test.go:14: needs a: b\n", "--- SKIP: TestPlain (0.00s)\n"},
		"TestScripts/some": {"=== CONT  TestScripts/some\n", "    cmd.go:380: needs valgrind on PATH\n",
			"    testscript.go:609: WORK=$WORK\n", "        HOME=/no-home\n", "        > stdout 'a.go:7: b'\n",
			"        > [!exec:valgrind] skip 'needs valgrind on PATH'\n", "--- SKIP: TestScripts/some (0.00s)\n"},
		"TestSilent": {"=== RUN   TestSilent\n", "--- SKIP: TestSilent (0.00s)\n"},
	} {
		for _, line := range output {
			all.take(event{Action: "output", Package: "p", Test: name, Output: line})
		}
		all.take(event{Action: "skip", Package: "p", Test: name})
	}
	want := map[string]int{"needs a: b": 1, "needs valgrind on PATH": 1}
	if !maps.Equal(all.reasons, want) || all.failed {
		t.Errorf("got %v, failed %t; want %v", all.reasons, all.failed, want)
	}
}
