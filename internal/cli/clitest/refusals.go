package clitest

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"ratelab/algorithms"
	"ratelab/internal/cli"
	"ratelab/internal/message"
	"ratelab/internal/scenario"
)

// secrets stand in the scripts as passwords; no message may repeat one.
var secrets = []string{"hunter2", "s3cret"}

// refusalsCmd is: refusals FILE
// It makes every call of a transcript whose lines are "$ PROGRAM ARGUMENT…" and what follows, and prints the
// transcript as it really went. Besides the words, which cmp compares, each call keeps the laws of a refusal: nothing
// on standard output, no file made, lost or changed, each line by the program, no password, nothing of Go's.
func refusalsCmd(ts *testscript.TestScript, _ bool, args []string) {
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		line = strings.TrimSuffix(line, "\n")
		words, ok := strings.CutPrefix(line, "$ ")
		if !ok {
			if strings.HasPrefix(line, "# ") {
				fmt.Fprintln(ts.Stdout(), line)
			}
			continue
		}
		env, arguments := splitCall(ts, words)
		before := tree(ts, ".")
		got := inSeries(ts, env, arguments)
		fmt.Fprintf(ts.Stdout(), "%s\n%s[%d]\n", line, named(ts, got.Stderr), got.Code)
		if after := tree(ts, "."); after != before {
			ts.Fatalf("%s\nchanged files:\nbefore:\n%safter:\n%s", line, before, after)
		}
		lawful(ts, line, got)
	}
}

func lawful(ts *testscript.TestScript, line string, got call) {
	if got.Code != cli.ExitUsage && got.Code != cli.ExitHarness {
		ts.Fatalf("%s\nexit code %d\n%s%s", line, got.Code, got.Stdout, got.Stderr)
	}
	if got.Stdout != "" {
		ts.Fatalf("%s\nis refused and prints\n%s", line, got.Stdout)
	}
	for text := range strings.Lines(got.Stderr) {
		if !strings.HasPrefix(text, programName(ts)+": ") {
			ts.Fatalf("%s\nprints a line of somebody else's: %s", line, text)
		}
	}
	for _, bad := range append([]string{"panic", "goroutine ", "runtime error", "strconv.", "%!", "<nil>", "0xc0"},
		secrets...) {
		if strings.Contains(got.Stderr, bad) {
			ts.Fatalf("%s\nthe message has %q in it: %s", line, bad, got.Stderr)
		}
	}
}

// splitCall reads NAME=VALUE… PROGRAM ARGUMENT…; a word may be in double quotes, with Go's escapes.
func splitCall(ts *testscript.TestScript, line string) (env, args []string) {
	var words []string
	for line = strings.TrimLeft(line, " "); line != ""; line = strings.TrimLeft(line, " ") {
		word, rest, _ := strings.Cut(line, " ")
		if strings.HasPrefix(line, `"`) {
			quoted, err := strconv.QuotedPrefix(line)
			ts.Check(err)
			word, err = strconv.Unquote(quoted)
			ts.Check(err)
			rest = line[len(quoted):]
		}
		words = append(words, os.Expand(word, ts.Getenv))
		line = rest
	}
	for i, word := range words {
		if word == programName(ts) {
			return words[:i], words[i+1:]
		}
	}
	ts.Fatalf("no call of %s: %q", programName(ts), words)
	return nil, nil
}

// named puts names in place of what differs from run to run.
func named(ts *testscript.TestScript, text string) string {
	for _, name := range []string{"WORK", "WEB", "LOCKED", "OPEN", "REPLICA", "CLUSTER", "THEIRS"} {
		if value := ts.Getenv(name); value != "" {
			text = strings.ReplaceAll(text, value, "$"+name)
		}
	}
	// A list of what is built in would make every addition edit these files.
	text = strings.ReplaceAll(text, message.List(algorithms.Names()), "$ALGORITHMS")
	return strings.ReplaceAll(text, message.List(scenario.Names()), "$SCENARIOS")
}
