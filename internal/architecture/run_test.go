package architecture

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"ratelab/internal/longtest"
)

// playing is the package that plays plans. It dials nothing and starts nothing, so that it works in a browser, too.
const playing = "./internal/run"

// dialling are packages that package run must not need.
var dialling = []string{"github.com/redis/go-redis/v9", "github.com/testcontainers/testcontainers-go", "net/http",
	"os/exec"}

func TestRunDialsNothing(t *testing.T) {
	for _, f := range tree(t)[strings.TrimPrefix(playing, "./")].files {
		for _, name := range f.imports() {
			if name == "os" || name == "net" {
				t.Errorf("%s imports %s: pass files and connections to package run", f.path, name)
			}
		}
	}
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", playing)
	list.Dir, list.Env = root, append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	names, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields(string(names)) {
		if slices.Contains(dialling, name) {
			t.Errorf("%s needs %s: move the code that needs it behind run.Engine", playing, name)
		}
	}
}

func TestRunCompilesForABrowser(t *testing.T) {
	longtest.Skip(t, "reads all dependencies for another system")
	compiles(t, "js", "wasm", playing)
}
