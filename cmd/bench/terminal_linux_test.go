package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ratelab/internal/cli"
	"ratelab/internal/cli/clitest"
	"ratelab/internal/longtest"
)

// On a terminal a bar says what is being measured; anywhere else, and with --quiet, there
// is none.
func TestProgress(t *testing.T) {
	if _, err := exec.LookPath("redis-server"); err != nil {
		if os.Getenv("REQUIRE_REDIS") == "1" {
			t.Fatal(err)
		}
		t.Skip("needs a redis-server on PATH")
	}
	brief := filepath.Join(t.TempDir(), "brief.yaml")
	if err := os.WriteFile(brief, []byte("{name: brief, question: Is it shown?, limit: {requests: 10, per: 1s}, "+
		"phases: [{name: all, duration: 50ms, constant: 10}]}"), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"run", brief, "-a", "gcra", "--redis", "process", "--rounds", "1", "--for", "50ms",
		"--warm-up", "0s", "--charts", "none", "--out", t.TempDir()}
	measure := func(more ...string) string {
		return clitest.OnTerminal(t, func(tty *os.File) {
			code := run(t.Context(), append(args, more...), cli.Streams{Stdout: io.Discard, Stderr: tty})
			if code != cli.ExitOK && code != cli.ExitInconclusive {
				t.Errorf("exit code %d", code)
			}
		})
	}
	if shown := measure(); !strings.Contains(shown, "brief in virtual time ") {
		t.Errorf("no progress: %q", shown)
	}
	if !longtest.All() {
		return
	}
	if shown := measure("--quiet"); strings.Contains(shown, "virtual time") ||
		strings.Contains(shown, "other files") {
		t.Errorf("not quiet: %q", shown)
	}
}
