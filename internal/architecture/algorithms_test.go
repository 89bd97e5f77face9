package architecture

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ratelab/algorithms"
)

// An algorithm is three files of one base name, and adding one edits none of the others.
func TestEveryAlgorithmHasItsFiles(t *testing.T) {
	names := algorithms.Names()
	for _, name := range names {
		for _, f := range []struct{ path, what string }{
			{"lua/" + name + ".lua", "the script, as one would deploy it"},
			{"algorithms/" + strings.ReplaceAll(name, "-", "_") + ".go",
				"the spec and the model, registered on its first lines"},
			{"algorithms/testdata/" + name + ".txt", "a trace worked by hand"},
		} {
			if text, err := os.ReadFile(filepath.Join(root, f.path)); err != nil || len(text) == 0 {
				t.Errorf("%s has no %s; write %s", name, f.path, f.what)
			}
		}
	}
	for pattern, what := range map[string]string{"lua/*.lua": "script", "algorithms/testdata/*.txt": "trace"} {
		paths, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(paths), err)
		}
		for _, p := range paths {
			base := strings.TrimSuffix(filepath.Base(p), filepath.Ext(p))
			if !slices.Contains(names, base) {
				t.Errorf("%s is the %s of no algorithm; register one of that name, or delete it", p, what)
			}
		}
	}
}

// headings are what the comment at the head of a script says, each at the start of a line.
var headings = []string{"State", "ARGV", "Reply", "Cost", "Source"}

// A script says first what it promises, what it keeps, how it is called and where it comes from.
func TestEveryScriptHasItsHeader(t *testing.T) {
	for _, spec := range algorithms.All() {
		var header []string
		for line := range strings.Lines(spec.Script()) {
			if !strings.HasPrefix(line, "--") {
				break
			}
			header = append(header, strings.TrimSpace(strings.TrimPrefix(line, "--")))
		}
		if len(header) == 0 || !strings.HasPrefix(header[0], spec.Name+": ") {
			t.Errorf("lua/%s.lua does not begin with a line `-- %s: what it promises`; write it", spec.Name, spec.Name)
		}
		for _, heading := range headings {
			if !slices.ContainsFunc(header, func(l string) bool { return strings.HasPrefix(l, heading+" ") }) {
				t.Errorf("lua/%s.lua has no line `-- %s …` in the comment at its head; write it", spec.Name, heading)
			}
		}
	}
}

// A listing needs the words too.
func TestEveryAlgorithmSaysWhatItIs(t *testing.T) {
	for _, spec := range algorithms.All() {
		if spec.Family == "" || spec.Rule == "" || spec.State == "" || len(spec.Sources) == 0 {
			t.Errorf("%s lacks its family, state, rule or sources; fill in its Algorithm", spec.Name)
		}
		if spec.Bound == "" && spec.Family != "floor" {
			t.Errorf("%s states no bound; say in its Algorithm how much it admits at the most", spec.Name)
		}
	}
}
