package architecture

import (
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The way of one request through the house, as ARCHITECTURE.md tells it, is short and is there.
const (
	mostStays    = 39
	mostPackages = 16
	mostUp       = 3
)

// stay is a line of the table: an arrow or none, a package and a function or method.
var stay = regexp.MustCompile("(?m)^\\| \\d+ \\| (↑ )?`([a-z/]+)` \\| `([A-Za-z.]+)` \\|")

func TestTheWayOfARequestIsShort(t *testing.T) {
	folders := tree(t)
	packages := map[string]bool{}
	stays, up := 0, 0
	for _, line := range stay.FindAllStringSubmatch(readPage(t, "ARCHITECTURE.md"), -1) {
		stays++
		up += len(line[1]) / len("↑ ")
		packages[line[2]] = true
		folder := folders[line[2]]
		if folder == nil {
			folder = folders[path.Join("internal", line[2])]
		}
		if folder == nil || !slices.ContainsFunc(folder.files, func(f *file) bool { return declares(f, line[3]) }) {
			t.Errorf("ARCHITECTURE.md: %s has no %s; tell the way of a request anew", line[2], line[3])
		}
	}
	if stays == 0 || stays > mostStays || len(packages) > mostPackages || up > mostUp {
		t.Errorf("a request makes %d stays in %d packages, %d times upwards; want at most %d, %d and %d", stays,
			len(packages), up, mostStays, mostPackages, mostUp)
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
