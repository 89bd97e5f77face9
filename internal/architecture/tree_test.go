package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// root is where go.mod lies.
const root = "../.."

// module is the path in it, which its owner may change.
var module = strings.TrimSuffix(reflect.TypeFor[folder]().PkgPath(), "/internal/architecture")

// folder is one package of the module, without its tests.
type folder struct {
	path  string // from the root, with slashes
	files []*file
}

// file is one Go file.
type file struct {
	path   string // from the root, with slashes
	syntax *ast.File
	set    *token.FileSet
}

// line is a position to show.
func (f *file) line(n ast.Node) string {
	return f.path + ":" + strconv.Itoa(f.set.Position(n.Pos()).Line)
}

// imports are the paths that the file imports.
func (f *file) imports() []string {
	var all []string
	for _, spec := range f.syntax.Imports {
		target, _ := strconv.Unquote(spec.Path.Value)
		all = append(all, target)
	}
	return all
}

// names are the imports by the name that they have in the file, as far as the path tells: all of the standard
// library's.
func (f *file) names() map[string]string {
	all := map[string]string{}
	for i, target := range f.imports() {
		name := path.Base(target)
		if given := f.syntax.Imports[i].Name; given != nil {
			name = given.Name
		}
		all[name] = target
	}
	return all
}

// uses calls found for every pkg.Name in the file, with the import path of pkg.
func (f *file) uses(found func(n ast.Node, pkg, name string)) {
	imports := f.names()
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok && imports[id.Name] != "" {
				found(n, imports[id.Name], s.Sel.Name)
			}
		}
		return true
	})
}

// tree parses the module: every package with the files that are not tests, for any system. What CI runs is no part of
// it.
func tree(t *testing.T) map[string]*folder {
	t.Helper()
	folders := map[string]*folder{}
	walk(t, func(name string) {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, ".ci/") {
			return
		}
		set := token.NewFileSet()
		syntax, err := parser.ParseFile(set, filepath.Join(root, name), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		dir := path.Dir(name)
		if folders[dir] == nil {
			folders[dir] = &folder{path: dir}
		}
		folders[dir].files = append(folders[dir].files, &file{name, syntax, set})
	})
	if len(folders) < 10 {
		t.Fatalf("found %d packages under %s; the tree is elsewhere", len(folders), root)
	}
	return folders
}

// walk visits every file of the module that people write, by its path from the root.
func walk(t *testing.T, visit func(name string), modules ...string) {
	t.Helper()
	for _, start := range append(modules, ".") {
		walkFrom(t, start, visit)
	}
}

func walkFrom(t *testing.T, start string, visit func(name string)) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(root), start, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name == ".git" || name == "bin" || name == "results" || d.Name() == "rapid"):
			return fs.SkipDir
		case d.IsDir() && name != start && hasModule(name): // a module of its own
			return fs.SkipDir
		case d.Type().IsRegular():
			visit(name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// hasModule reports whether a folder has a go.mod.
func hasModule(name string) bool {
	_, err := os.Stat(filepath.Join(root, name, "go.mod"))
	return err == nil
}

// isCommand reports whether a package is one of the programs.
func isCommand(dir string) bool { return strings.HasPrefix(dir, "cmd/") }
