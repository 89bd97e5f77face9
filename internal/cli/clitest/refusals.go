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

// secrets are the passwords in the scripts. No message may contain one.
var secrets = []string{"hunter2", "s3cret"}

// refusalsCmd is: refusals FILE
// It makes all calls of a transcript. A call is a line "$ PROGRAM ARGUMENT…", followed by its output. It prints the
// transcript with the actual output, for cmp. In addition, each call must follow the rules for refused calls: no
// standard output, no file created, deleted or changed, the program's name on each line, no password, no messages of
// the Go runtime.
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

// splitCall splits NAME=VALUE… PROGRAM ARGUMENT… A word may be in double quotes, with Go's escapes.
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

// named replaces values that differ between runs by names.
func named(ts *testscript.TestScript, text string) string {
	for _, name := range []string{"WORK", "WEB", "LOCKED", "OPEN", "REPLICA", "CLUSTER", "THEIRS"} {
		if value := ts.Getenv(name); value != "" {
			text = strings.ReplaceAll(text, value, "$"+name)
		}
	}
	// Replace the lists of built-in names too, so that additions do not change these files.
	text = strings.ReplaceAll(text, message.List(algorithms.Names()), "$ALGORITHMS")
	return strings.ReplaceAll(text, message.List(scenario.Names()), "$SCENARIOS")
}
