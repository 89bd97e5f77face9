package architecture

import (
	"os"
	"os/exec"
	"runtime"
	"testing"

	"ratelab/internal/longtest"
)

// The module builds for every system that it is for, without a C compiler.
func TestItBuildsForEverySystem(t *testing.T) {
	longtest.Skip(t, "compiles everything for each system")
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command on PATH")
	}
	tree(t) // reads every file of ours, so that go test knows when its cached answer is stale
	for system, processor := range map[string]string{"linux": "arm64", "darwin": "arm64", "windows": "amd64"} {
		if system == runtime.GOOS {
			continue // this test was built for it
		}
		t.Run(system, func(t *testing.T) {
			build := exec.CommandContext(t.Context(), "go", "build", "./...")
			build.Dir = root
			build.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0")
			if out, err := build.CombinedOutput(); err != nil {
				t.Errorf("GOOS=%s go build ./...: %v; put what only some systems have into a file with a build tag "+
					"or a name such as _unix.go\n%s", system, err, out)
			}
		})
	}
}
