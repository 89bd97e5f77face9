package clitest

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"ratelab/internal/cli"
	"ratelab/internal/longtest"
)

// programs are the programs whose examples are tested. The tests of each program execute its own examples.
var programs = []string{"simulate", "bench"}

// Outputs executes each ```console block of the pages that begins with a call of the program, such as `$ go run
// ./cmd/simulate list`. It compares the rest of the block with the output of the call. Each call runs in its own
// folder, which has the files of the pages, and must succeed. A chart in the page's folder charts must be the one that
// a call on the page draws. If rewrite is set, outputs and charts replace those of the page.
func Outputs(t *testing.T, program string, rewrite bool, run func(context.Context, []string, cli.Streams) int) {
	executed := 0
	pages := Pages(t)
	for _, page := range pages {
		ran, drawn := false, map[string]bool{}
		for _, block := range page.Blocks("console") {
			call, args, was := splitConsole(block.Text)
			if len(args) == 0 || !slices.Contains(programs, args[0]) {
				t.Errorf("%s:%d: nothing executes this console block; begin it with `$ go run ./cmd/…` and one of %q, "+
					"or call it a ```sh block", page.Name, block.Line, programs)
				continue
			}
			if args[0] != program {
				continue
			}
			executed++
			t.Run(fmt.Sprintf("%s:%d", page.Name, block.Line), func(t *testing.T) {
				if page.Name != "README.md" && !rewrite {
					longtest.Skip(t, "executes what the pages of docs show")
				}
				folder := t.TempDir()
				SaveFiles(t, pages, folder)
				t.Chdir(folder)
				got := printed(t, args, run)
				if rewrite && got != was {
					block.replace(t, call+got)
				} else if got != was {
					t.Errorf("%sprints something else than the page says (-page +printed). make goldens takes it: "+
						"read the difference.\n%s", call, cmp.Diff(strings.Split(was, "\n"), strings.Split(got, "\n")))
				}
				ran = true
				for _, name := range page.charts() {
					drawn[name] = page.showsChart(t, name, folder, rewrite) || drawn[name]
				}
			})
		}
		for _, name := range page.charts() {
			if ran && !drawn[name] {
				t.Errorf("%s shows charts/%s, which no call on it draws; show the call, or leave out the chart",
					page.Name, name)
			}
		}
	}
	if executed == 0 {
		t.Errorf("no page shows an output of %s; want a ```console block that begins with `$ go run ./cmd/%[1]s`",
			program)
	}
}

// printed returns the standard output of a call. For a call that ends in | head -N, it returns the first N lines.
func printed(t *testing.T, args []string, run func(context.Context, []string, cli.Streams) int) string {
	t.Helper()
	most := -1
	if i := slices.Index(args, "|"); i >= 0 {
		if len(args) != i+3 || args[i+1] != "head" {
			t.Fatalf("%s: nothing but | head -N can follow a call", strings.Join(args, " "))
		}
		n, err := strconv.Atoi(strings.TrimPrefix(args[i+2], "-"))
		if err != nil {
			t.Fatal(err)
		}
		args, most = args[:i], n
	}
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), args[1:], cli.Streams{Stdout: &stdout, Stderr: &stderr}); code != cli.ExitOK {
		t.Fatalf("%s\nexit code %d\n%s", strings.Join(args, " "), code, &stderr)
	}
	lines := strings.SplitAfter(stdout.String(), "\n")
	if most >= 0 && most < len(lines) {
		lines = lines[:most]
	}
	return strings.Join(lines, "")
}

// splitConsole splits a block into the call as written, its words without `go run`, and the output. A line that ends in
// a backslash continues on the next line.
func splitConsole(text string) (call string, args []string, output string) {
	for line := range strings.Lines(text) {
		call += line
		if !strings.HasSuffix(line, "\\\n") {
			break
		}
	}
	words, ok := strings.CutPrefix(call, "$ go run ./cmd/")
	if ok {
		args = strings.Fields(strings.ReplaceAll(words, "\\\n", " "))
	}
	return call, args, text[len(call):]
}

// Calls parses each command line of the program in the pages' ```sh blocks, without executing it. Flags, their values
// and the number of arguments must be valid.
func Calls(t *testing.T, program string, newRoot func() *cobra.Command) {
	calls := regexp.MustCompile(`^(?:(?:\./)?bin/|go run \./cmd/)` + program + `(?: +(.*))?$`)
	parsed := 0
	for _, page := range Pages(t) {
		for _, block := range page.Blocks("sh") {
			for i, line := range strings.Split(block.Text, "\n") {
				found := calls.FindStringSubmatch(strings.TrimSpace(withoutRest(line)))
				if found == nil {
					continue
				}
				parsed++
				if err := parse(newRoot(), strings.Fields(found[1])); err != nil {
					t.Errorf("%s:%d: %s: %v", page.Name, block.Line+1+i, found[0], err)
				}
			}
		}
	}
	if parsed == 0 {
		t.Errorf("no page has a command line of %s in a ```sh block", program)
	}
}

// withoutRest returns a command line without its comment, its redirection, and the commands after a pipe.
func withoutRest(line string) string {
	line, _, _ = strings.Cut(line, " #")
	line, _, _ = strings.Cut(line, " >")
	line, _, _ = strings.Cut(line, " | ")
	return line
}

func parse(root *cobra.Command, args []string) error {
	command, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if err := command.ParseFlags(rest); err != nil {
		return err
	}
	return command.ValidateArgs(command.Flags().Args())
}
