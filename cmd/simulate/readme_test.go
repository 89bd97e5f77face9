package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ratelab/internal/commandline"
	"ratelab/scenarios"
)

var rewrite = flag.Bool("rewrite", false, "write the README's outputs anew")

// console is a block of the README that begins with a command of ours and goes on with what it prints.
var console = regexp.MustCompile("(?s)```console\n\\$ go run ./cmd/simulate([^\n]*)\n(.*?)```")

// Every output in the README is what its command prints.
func TestREADME(t *testing.T) {
	const file = "../../README.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	blocks := console.FindAllSubmatch(text, -1)
	if len(blocks) == 0 {
		t.Fatal("the README shows no output of simulate; want at least one ```console block")
	}
	for _, b := range blocks {
		args := append(strings.Fields(string(b[1])), "--out", t.TempDir())
		var stdout, stderr bytes.Buffer
		if code := run(args, commandline.Streams{Stdout: &stdout, Stderr: &stderr}); code != commandline.ExitOK {
			t.Fatalf("simulate%s: exit %d: %s", b[1], code, stderr.String())
		}
		if *rewrite {
			text = bytes.Replace(text, b[0], []byte("```console\n$ go run ./cmd/simulate"+string(b[1])+"\n"+stdout.String()+"```"), 1)
		} else if got := stdout.String(); got != string(b[2]) {
			t.Errorf("simulate%s prints\n%s\nbut the README says\n%s\n(go test ./cmd/simulate -run README -rewrite takes the new output)", b[1], got, b[2])
		}
	}
	if *rewrite {
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// example is the README's scenario file.
var example = regexp.MustCompile("(?s)```yaml\n(# yaml-language-server.*?)```")

// The scenario that the README offers for copying runs, and its expectations hold.
func TestREADMEScenario(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	block := example.FindSubmatch(text)
	if block == nil {
		t.Fatal("the README shows no scenario file; want a ```yaml block that begins with the schema's comment")
	}
	file := filepath.Join(t.TempDir(), "my-scenario.yaml")
	if err := os.WriteFile(file, block[1], 0o644); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	if code := run([]string{file, "--charts", "none", "--out", t.TempDir()}, commandline.Streams{Stdout: &stdout, Stderr: &stderr}); code != commandline.ExitOK {
		t.Errorf("exit %d: %s\n%s", code, stderr.String(), stdout.String())
	}
	if !strings.Contains(stdout.String(), "2 of 2 expectations met") {
		t.Errorf("its expectations were not checked:\n%s", stdout.String())
	}
}

// clientsExample is the README's example of who sends the traffic.
var clientsExample = regexp.MustCompile("(?s)```yaml\n(clients:.*?)```")

// The clients, clocks and sequences that the README shows can be put into a scenario as they stand.
func TestREADMEClients(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	block := clientsExample.FindSubmatch(text)
	if block == nil {
		t.Fatal("the README shows no clients; want a ```yaml block that begins with clients:")
	}
	const head = "name: crowd\nquestion: Who gets through?\nlimit: {requests: 10, per: 1s}\nphases:\n  - {name: all, duration: 30s, constant: 100}\n"
	if _, err := scenarios.Parse("crowd.yaml", append([]byte(head), block[1]...)); err != nil {
		t.Error(err)
	}
}
