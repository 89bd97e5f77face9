package main

import (
	"bytes"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"
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
		args := append(strings.Fields(string(b[1])), "--charts", "none", "--out", t.TempDir())
		var stdout, stderr bytes.Buffer
		if code := run(args, &stdout, &stderr, nil); code != exitOK {
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
