package architecture

import (
	"os"
	"os/exec"
	"runtime"
	"testing"

	"golang.org/x/tools/go/packages"

	"ratelab/internal/longtest"
)

// The module's types are correct for every system that it is for, without a C compiler. Compiling everything instead
// takes ten times as long.
func TestItCompilesForEverySystem(t *testing.T) {
	longtest.Skip(t, "reads all dependencies for each system")
	for system, processor := range map[string]string{"linux": "arm64", "darwin": "arm64", "windows": "amd64"} {
		if system == runtime.GOOS {
			continue // this test was built for it
		}
		t.Run(system, func(t *testing.T) {
			compiles(t, system, processor, "./...")
		})
	}
}

// compiles checks the types of a pattern's packages as they are compiled for a system. Of their dependencies it checks
// the declarations alone.
func compiles(t *testing.T, system, processor, pattern string) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command on PATH")
	}
	tree(t) // reads every file of ours, so that go test knows when its cached answer is stale
	all, err := packages.Load(&packages.Config{Context: t.Context(), Dir: root,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedDeps | packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax,
		Env: append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0")}, pattern)
	if err != nil {
		t.Fatal(err)
	}
	packages.Visit(all, nil, func(p *packages.Package) {
		for _, err := range p.Errors {
			t.Errorf("for %s: %v; put what only some systems have into a file with a build tag or a name such as "+
				"_unix.go", system, err)
		}
	})
}
