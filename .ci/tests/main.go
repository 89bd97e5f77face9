// Command tests reads the output of go test -json, and prints it as go test does. At the end it prints which tests were
// skipped, and why. Its exit code is 1 if a test failed.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// event is a line of go test -json; see go doc test2json.
type event struct {
	Action, Package, Test, Output string
}

// tests holds the results up to now.
type tests struct {
	output  map[string][]string // of each running test, by package and name
	reasons map[string]int      // number of skipped tests, by reason
	failed  bool
}

func main() {
	t := tests{output: map[string][]string{}, reasons: map[string]int{}}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			fmt.Println(lines.Text()) // such as the errors of a package that does not build
			continue
		}
		t.take(e)
	}
	t.sum()
	if t.failed || lines.Err() != nil {
		os.Exit(1)
	}
}

// take records an event. The output of a test is printed only if the test fails. The output of a package is always
// printed.
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

// message matches the first line of a message of a test. Its further lines are indented by eight blanks.
var message = regexp.MustCompile(`^ {4}(\S+\.go):\d+: (.*)`)

// skip finds the reason in the output of a skipped test, in its last message. A script's last message is its log, which
// testscript prints after the reason.
func (t *tests) skip(output []string) {
	for _, line := range slices.Backward(output) {
		if m := message.FindStringSubmatch(line); m != nil && m[1] != "testscript.go" {
			t.reasons[m[2]]++
			return
		}
	}
}

// sum prints how many tests were skipped, and why.
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
