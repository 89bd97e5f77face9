// Command tests reads what go test -json says, prints it as go test does, and says at the end which tests were skipped,
// and why. Its exit code is 1 where a test failed.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

// event is a line of go test -json; see go doc test2json.
type event struct {
	Action, Package, Test, Output string
}

// tests is what came so far.
type tests struct {
	output  map[string][]string // of each test that is under way, by package and name
	reasons map[string]int      // of skips, with how many there are
	failed  bool
}

func main() {
	t := tests{output: map[string][]string{}, reasons: map[string]int{}}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			fmt.Println(lines.Text()) // a package that does not build
			continue
		}
		t.take(e)
	}
	t.sum()
	if t.failed || lines.Err() != nil {
		os.Exit(1)
	}
}

// take notes an event. What a test prints is of interest where it fails; what a package prints, always.
func (t *tests) take(e event) {
	key := e.Package + " " + e.Test
	switch e.Action {
	case "output", "build-output":
		if e.Test == "" {
			fmt.Print(e.Output)
		} else {
			t.output[key] = append(t.output[key], e.Output)
		}
	case "fail", "build-fail":
		t.failed = true
		fmt.Print(strings.Join(t.output[key], ""))
		delete(t.output, key)
	case "skip":
		t.skip(t.output[key])
		delete(t.output, key)
	case "pass":
		delete(t.output, key)
	}
}

// skip finds the reason in what a skipped test printed: behind file.go:12:, or, of a script, behind [condition] skip.
func (t *tests) skip(output []string) {
	for _, line := range slices.Backward(output) {
		line = strings.TrimSpace(line)
		if _, reason, found := strings.Cut(line, ".go:"); found {
			_, reason, _ = strings.Cut(reason, ": ")
			t.reasons[reason]++
			return
		}
	}
}

// sum says what was skipped.
func (t *tests) sum() {
	var all []string
	for reason := range t.reasons {
		all = append(all, reason)
	}
	slices.Sort(all)
	if len(all) > 0 {
		fmt.Println("skipped:")
	}
	for _, reason := range all {
		fmt.Printf("  %d: %s\n", t.reasons[reason], reason)
	}
}
