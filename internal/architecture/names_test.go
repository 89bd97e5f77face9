package architecture

import (
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ratelab/algorithms"
)

// otherNone are the files in which "none" is no algorithm, each with what it is there.
var otherNone = map[string]string{
	"cmd/playground/server.go":      "a transport",
	"internal/accesslog/trace.go":   "no column with a key",
	"internal/cli/output.go":        "--charts",
	"internal/clients/group.go":     "a jitter",
	"internal/message/message.go":   "an empty list in words",
	"internal/page/labels.go":       "no dashes, in CSS",
	"internal/result/parts.go":      "a transport",
	"internal/result/read.go":       "no version, in words",
	"internal/run/engine.go":        "a transport",
	"internal/sequence/counters.go": "a default, in words",
}

// Only an algorithm's own files name it. What other packages need to know of it is a field or a trait of Algorithm, so
// that a new algorithm has it, too. Sentences may name algorithms: a text with a space in it selects none.
func TestNoOtherPackageNamesAnAlgorithm(t *testing.T) {
	name := regexp.MustCompile(`^(` + strings.Join(algorithms.Names(), "|") + `)($|[-:+=,\n])`)
	seen := map[string]bool{}
	for dir, folder := range tree(t) {
		if dir == "algorithms" || strings.HasPrefix(dir, "algorithms/") || strings.HasSuffix(dir, "test") {
			continue
		}
		for _, f := range folder.files {
			ast.Inspect(f.syntax, func(n ast.Node) bool {
				literal, ok := n.(*ast.BasicLit)
				if !ok || literal.Kind != token.STRING {
					return true
				}
				text, _ := strconv.Unquote(literal.Value)
				switch {
				case strings.Contains(text, " ") || !name.MatchString(text):
				case text == "none" && otherNone[f.path] != "":
					seen[f.path] = true
				default:
					t.Errorf("%s: %q names an algorithm; ask for a trait of it, see algorithms/traits.go", f.line(n),
						text)
				}
				return true
			})
		}
	}
	for file, what := range otherNone {
		if !seen[file] {
			t.Errorf("%s is listed in otherNone as %s, and does not have it; take it out", file, what)
		}
	}
}
