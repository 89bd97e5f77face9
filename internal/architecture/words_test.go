package architecture

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every package says what it is for, and every exported name what it means.
func TestWhatIsExportedIsDocumented(t *testing.T) {
	for dir, folder := range tree(t) {
		packaged := false
		for _, f := range folder.files {
			packaged = packaged || f.syntax.Doc != nil
			for _, d := range f.syntax.Decls {
				for _, id := range undocumented(d) {
					t.Errorf("%s: %s has no comment; say what it means, its units and its errors", f.line(id), id.Name)
				}
			}
		}
		if !packaged {
			t.Errorf("%s has no package comment; say in one of its files what it does, and what it will not do", dir)
		}
	}
}

// customary are methods whose interface says all that there is to say.
var customary = []string{"Error", "Unwrap", "String"}

// undocumented are the exported names of a declaration that nothing explains.
func undocumented(d ast.Decl) []*ast.Ident {
	switch d := d.(type) {
	case *ast.FuncDecl:
		ofExported := d.Recv == nil || ast.IsExported(receiver(d.Recv.List[0].Type))
		if d.Name.IsExported() && ofExported && d.Doc == nil &&
			!(d.Recv != nil && slices.Contains(customary, d.Name.Name)) {
			return []*ast.Ident{d.Name}
		}
	case *ast.GenDecl:
		return undocumentedSpecs(d)
	}
	return nil
}

// undocumentedSpecs goes through types, constants and variables: the comment of a group holds for the values in it.
func undocumentedSpecs(d *ast.GenDecl) []*ast.Ident {
	var missing []*ast.Ident
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() && s.Doc == nil && s.Comment == nil && (d.Doc == nil || d.Lparen != token.NoPos) {
				missing = append(missing, s.Name)
			}
		case *ast.ValueSpec:
			for _, id := range s.Names {
				if id.IsExported() && s.Doc == nil && s.Comment == nil && d.Doc == nil {
					missing = append(missing, id)
				}
			}
		}
	}
	return missing
}

// receiver is the name of a method's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// leftover are the words of what was put off. They are taken apart here, so that this file has none.
var leftover = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X|HA` + `CK)\b`)

// written are the kinds of files that people write.
var written = []string{".go", ".lua", ".yaml", ".yml", ".md", ".txt", ".txtar", ".json", "", ".mod", ".sh"}

func TestNothingIsPutOff(t *testing.T) {
	walk(t, func(name string) {
		if !slices.Contains(written, filepath.Ext(name)) {
			return
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if word := leftover.FindString(line); word != "" {
				t.Errorf("%s:%d: %s; do it now, or say in a plain comment why it is not done", name, i+1, word)
			}
		}
	})
}
