package architecture

import (
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// ways are the tables of ARCHITECTURE.md that follow one job, and how long each may be.
var ways = []struct {
	heading             string
	steps, packages, up int
}{{"## The way of one request", 35, 16, 3}, {"## The way of `bench run`", 36, 5, 0}}

// step is a line of a table: an arrow or none, a package, and a function or method.
var step = regexp.MustCompile("(?m)^\\| \\d+ \\| (↑ )?`([a-z/]+)` \\| `([A-Za-z.]+)` \\|")

func TestTheWaysAreShort(t *testing.T) {
	folders, page := tree(t), readPage(t, "ARCHITECTURE.md")
	for _, way := range ways {
		_, text, _ := strings.Cut(page, way.heading)
		text, _, _ = strings.Cut(text, "\n## ")
		packages := map[string]bool{}
		steps, up := 0, 0
		for _, line := range step.FindAllStringSubmatch(text, -1) {
			steps++
			up += len(line[1]) / len("↑ ")
			packages[line[2]] = true
			folder := folders[line[2]]
			if folder == nil {
				folder = folders[path.Join("internal", line[2])]
			}
			if folder == nil || !slices.ContainsFunc(folder.files, func(f *file) bool { return declares(f, line[3]) }) {
				t.Errorf("ARCHITECTURE.md: %s has no %s; write %q again", line[2], line[3], way.heading)
			}
		}
		if steps == 0 || steps > way.steps || len(packages) > way.packages || up > way.up {
			t.Errorf("%s has %d steps in %d packages, %d upwards; want at most %d, %d and %d", way.heading, steps,
				len(packages), up, way.steps, way.packages, way.up)
		}
	}
}

// declares reports whether a file has a function of that name, or a method as TYPE.NAME.
func declares(f *file, name string) bool {
	of, method, isMethod := strings.Cut(name, ".")
	return slices.ContainsFunc(f.syntax.Decls, func(d ast.Decl) bool {
		function, ok := d.(*ast.FuncDecl)
		switch {
		case !ok || isMethod != (function.Recv != nil):
			return false
		case isMethod:
			return function.Name.Name == method && receiver(function.Recv.List[0].Type) == of
		}
		return function.Name.Name == name
	})
}
