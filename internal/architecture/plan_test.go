package architecture

import (
	"slices"
	"strings"
	"testing"
)

// planned are the folders in the order of the drawing in ARCHITECTURE.md.
func planned(t *testing.T) []string {
	t.Helper()
	_, rest, found := strings.Cut(readPage(t, "ARCHITECTURE.md"), "```plan\n")
	plan, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatal("ARCHITECTURE.md has no drawing between ```plan and ```")
	}
	var folders []string
	for line := range strings.Lines(plan) {
		for _, name := range strings.Fields(line[min(len(line), 16):]) {
			own, top := strings.CutPrefix(name, "/")
			switch {
			case top:
				name = own
			case !strings.HasPrefix(name, "cmd/"):
				name = "internal/" + name
			}
			folders = append(folders, name)
		}
	}
	return folders
}

// Every package has one place in the drawing, and imports only what comes after it.
func TestThePlanIsTrue(t *testing.T) {
	plan, folders := planned(t), tree(t)
	for i, dir := range plan {
		if folders[dir] == nil {
			t.Errorf("ARCHITECTURE.md draws %s, and there is no such package; take it out", dir)
			continue
		}
		if slices.Index(plan, dir) != i {
			t.Errorf("ARCHITECTURE.md draws %s twice", dir)
		}
		for _, f := range folders[dir].files {
			for _, target := range f.imports() {
				own, inside := strings.CutPrefix(target, module+"/")
				if at := slices.Index(plan, own); inside && at >= 0 && at <= i {
					t.Errorf("%s imports %s, which the plan in ARCHITECTURE.md draws before %s: pass what it needs "+
						"as a value, or draw a better plan", f.path, own, dir)
				}
			}
		}
	}
	for dir := range folders {
		if !slices.Contains(plan, dir) && !strings.HasSuffix(dir, "test") && dir != "internal/architecture" {
			t.Errorf("ARCHITECTURE.md does not draw %s; give it a place in the plan", dir)
		}
	}
}
