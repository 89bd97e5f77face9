package main

import (
	"os"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"

	"ratelab/internal/cli"
	"ratelab/internal/cli/clitest"
)

// onTerminal is what a run writes to its terminal.
func onTerminal(t *testing.T, args ...string) string {
	t.Helper()
	args = append(args, "--charts", "none", "--out", t.TempDir())
	return clitest.OnTerminal(t, func(tty *os.File) {
		if code := program(t.Context(), args, cli.Streams{Stdout: tty, Stderr: tty}); code != cli.ExitOK {
			t.Errorf("exit code %d", code)
		}
	})
}

// On a terminal a table fits it and what is above the limit stands out; NO_COLOR takes the colour away.
func TestTerminal(t *testing.T) {
	const red = "\x1b[1;31m"
	t.Setenv("NO_COLOR", "") // so that it is put back
	os.Unsetenv("NO_COLOR")
	coloured := onTerminal(t, "extreme-case-1", "--redis", "model")
	if !strings.Contains(coloured, red) {
		t.Errorf("no red: %q", coloured)
	}
	_, table, _ := strings.Cut(coloured, "algorithm")
	for line := range strings.Lines(table) {
		if n := text.StringWidthWithoutEscSequences(strings.TrimRight(line, "\r\n")); n > 90 {
			t.Errorf("%d columns: %q", n, line)
		}
	}
	t.Setenv("NO_COLOR", "1")
	if plain := onTerminal(t, "extreme-case-1", "--redis", "model", "--quiet"); strings.Contains(plain, "\x1b") {
		t.Errorf("an escape: %q", plain)
	}
}
