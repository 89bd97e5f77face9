package architecture

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"ratelab/internal/longtest"
)

// hall is the package that plays plans. It dials nothing and starts nothing, so that it works in a browser too.
const hall = "./internal/run"

// dialling are packages that the hall must do without.
var dialling = []string{"github.com/redis/go-redis/v9", "github.com/testcontainers/testcontainers-go", "net/http",
	"os/exec"}

func TestTheHallDialsNothing(t *testing.T) {
	for _, f := range tree(t)[strings.TrimPrefix(hall, "./")].files {
		for _, name := range f.imports() {
			if name == "os" || name == "net" {
				t.Errorf("%s imports %s: files and connections are handed to the hall", f.path, name)
			}
		}
	}
	packages := inHall(t, "go", "list", "-deps", hall)
	for _, name := range strings.Fields(packages) {
		if slices.Contains(dialling, name) {
			t.Errorf("%s needs %s: let run.Server do what needs it", hall, name)
		}
	}
}

func TestTheHallCompilesForABrowser(t *testing.T) {
	longtest.Skip(t, "compiles the standard library for another system")
	inHall(t, "go", "build", hall)
}

// inHall is what a command prints about the hall for a browser.
func inHall(t *testing.T, name string, args ...string) string {
	t.Helper()
	tree(t) // reads every file of ours, so that go test knows when its cached answer is stale
	command := exec.CommandContext(t.Context(), name, args...)
	command.Dir = root
	command.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}
