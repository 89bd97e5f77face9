//go:build linux

package engine

import (
	"os"
	"os/exec"
	"syscall"
	"testing"

	"ratelab/internal/longtest"
	"ratelab/internal/redis"
)

// The embedded server's Lua has no memory limit and cannot be stopped. So it runs in its own process, which takes the
// memory, and which has ended when the error is returned.
func TestAGreedyScriptOnEmbedded(t *testing.T) {
	const alone = "RATELAB_ALONE" // the servers of other tests are child processes, too
	if os.Getenv(alone) == "" {
		self := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		self.Env = append(os.Environ(), alone+"=1")
		if out, err := self.CombinedOutput(); err != nil {
			t.Errorf("%v:\n%s", err, out)
		}
		return
	}
	sources := []string{
		"local s = 'x' while true do s = s .. s end",
		"local s = string.rep('x', 4e6) while true do s = s .. s .. s .. s .. s .. s .. s .. s end",
		"local t = {} while true do t[#t + 1] = {1, 2, 3, 4, 5, 6, 7, 8} end",
	}
	for _, source := range sources[:longtest.Of(len(sources), 1)] {
		before := most(t, syscall.RUSAGE_SELF)
		// on a busy machine, the time limit may end the script first
		wantInput(t, tried(t, t.Context(), redis.KindEmbedded, source))
		if took := most(t, syscall.RUSAGE_SELF) - before; took > 100<<20 {
			t.Errorf("%s: this process took %d MB", source, took>>20)
		}
		if took := most(t, syscall.RUSAGE_CHILDREN); took > redis.ScriptMemory+256<<20 {
			t.Errorf("%s: another process took %d MB", source, took>>20)
		}
	}
}

// most returns the largest memory, in bytes, of this process or of its ended child processes.
func most(t *testing.T, who int) int64 {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(who, &usage); err != nil {
		t.Fatal(err)
	}
	return usage.Maxrss << 10
}
