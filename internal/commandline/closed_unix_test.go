//go:build unix

package commandline

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// A program whose standard output is closed fails as soon as it writes, and only then; one that is thrown away does
// not.
func TestAClosedStandardOutputIsAnError(t *testing.T) {
	if os.Getenv("RATELAB_WRITES") == "1" {
		if Println(Writable(os.Stdout), "figures") != nil {
			os.Exit(ExitHarness)
		}
		os.Exit(ExitOK)
	}
	file := filepath.Join(t.TempDir(), "out")
	for redirection, want := range map[string]int{">&-": ExitHarness, ">/dev/null": ExitOK, ">" + file: ExitOK,
		"| cat": ExitOK} {
		cmd := exec.Command("sh", "-c", `"$0" -test.run=TestAClosedStandardOutputIsAnError `+redirection, os.Args[0])
		cmd.Env = append(os.Environ(), "RATELAB_WRITES=1")
		if err := cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != want {
			t.Errorf("%s: %v; want exit code %d", redirection, err, want)
		}
	}
}
