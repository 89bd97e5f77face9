package architecture

import (
	"slices"
	"strings"
	"testing"
)

// standardOnly are the packages that import no library: vocabulary, models and arithmetic, which others build on.
var standardOnly = []string{"lua", "internal/limit", "internal/atomicfile", "algorithms", "internal/traffic",
	"internal/accesslog", "internal/clients"}

func TestVocabularyKeepsToTheStandardLibrary(t *testing.T) {
	folders := tree(t)
	for _, dir := range standardOnly {
		for _, f := range folders[dir].files {
			for _, target := range f.imports() {
				if !strings.HasPrefix(target, module+"/") && isLibrary(target) {
					t.Errorf("%s imports %s; %s keeps to the standard library", f.path, target, dir)
				}
			}
		}
	}
}

// Traffic knows nothing of who decides.
func TestScenarioImportsNoAlgorithm(t *testing.T) {
	folders := tree(t)
	reached := []string{"internal/scenario"}
	for i := 0; i < len(reached); i++ {
		for _, f := range folders[reached[i]].files {
			for _, target := range f.imports() {
				if own, inside := strings.CutPrefix(target, module+"/"); inside && !slices.Contains(reached, own) {
					reached = append(reached, own)
				}
			}
		}
	}
	for _, dir := range []string{"algorithms", "lua"} {
		if slices.Contains(reached, dir) {
			t.Errorf("internal/scenario reaches %s: pass what it needs as a value", dir)
		}
	}
}

// isLibrary reports whether an import path is outside the standard library: its first element has a dot.
func isLibrary(target string) bool {
	first, _, _ := strings.Cut(target, "/")
	return strings.Contains(first, ".")
}

// An algorithm decides from its arguments: nothing that it reaches inside this module opens a file, a socket or a
// process.
func TestAlgorithmsCannotReachTheWorld(t *testing.T) {
	folders := tree(t)
	reached := []string{"algorithms"}
	for i := 0; i < len(reached); i++ {
		for _, f := range folders[reached[i]].files {
			for _, target := range f.imports() {
				own, inside := strings.CutPrefix(target, module+"/")
				switch {
				case inside && !slices.Contains(reached, own):
					reached = append(reached, own)
				case !inside && !slices.Contains(harmless, target) && (isLibrary(target) || worldly(target)):
					t.Errorf("%s imports %s, and algorithms reaches it; an algorithm decides from its arguments "+
						"alone: "+
						"let the caller read files and talk to servers", f.path, target)
				}
			}
		}
	}
}

// harmless are libraries that do nothing but compute.
var harmless = []string{"github.com/agnivade/levenshtein"}

// worldly are the parts of the standard library through which a program acts on the world.
func worldly(target string) bool {
	first, _, _ := strings.Cut(target, "/")
	return slices.Contains([]string{"net", "os", "syscall", "plugin", "unsafe", "log", "testing"}, first) ||
		target == "crypto/tls"
}
