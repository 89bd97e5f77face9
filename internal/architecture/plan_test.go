package architecture

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// modules are the budgets of the modules beside the main one, in lines of code.
var modules = map[string]int{"beam": 970, "libraries": 1_040}

// room is a package's line in the plan of ARCHITECTURE.md.
type room struct {
	dir    string // from the root
	budget int    // in lines of code
}

// outside are the packages at the top level.
var outside = []string{"algorithms", "lua", "redisclock", "scenarios"}

// planned are the packages in the order of the plan in ARCHITECTURE.md.
func planned(t *testing.T) []room {
	t.Helper()
	_, rest, found := strings.Cut(readPage(t, "ARCHITECTURE.md"), "```plan\n")
	plan, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatal("ARCHITECTURE.md has no plan between ```plan and ```")
	}
	var rooms []room
	for _, line := range regexp.MustCompile(`(?m)^([a-z/]+) +([\d,]+) `).FindAllStringSubmatch(plan, -1) {
		budget, err := strconv.Atoi(strings.ReplaceAll(line[2], ",", ""))
		if err != nil {
			t.Fatal(err)
		}
		dir := line[1]
		if !strings.HasPrefix(dir, "cmd/") && !slices.Contains(outside, dir) {
			dir = "internal/" + dir
		}
		rooms = append(rooms, room{dir, budget})
	}
	return rooms
}

// isTest reports whether a package is counted as tests.
func isTest(dir string) bool { return strings.HasSuffix(dir, "test") || dir == "internal/architecture" }

// Every package has one place in the plan, and imports only what comes after it.
func TestPackagesImportDownwardsInThePlan(t *testing.T) {
	plan, folders := planned(t), tree(t)
	place := func(dir string) int { return slices.IndexFunc(plan, func(r room) bool { return r.dir == dir }) }
	for i, r := range plan {
		if folders[r.dir] == nil || place(r.dir) != i {
			t.Errorf("ARCHITECTURE.md plans %s, which is no package, or stands there twice; take it out", r.dir)
			continue
		}
		for _, f := range folders[r.dir].files {
			for _, target := range f.imports() {
				own, inside := strings.CutPrefix(target, module+"/")
				if at := place(own); inside && at >= 0 && at <= i {
					t.Errorf("%s imports %s, which the plan has before %s: pass what it needs as a value, or draw a "+
						"better plan", f.path, own, r.dir)
				}
				if inside && isTest(own) {
					t.Errorf("%s imports %s, which is for tests", f.path, own)
				}
			}
		}
	}
	for dir := range folders {
		if place(dir) < 0 && !isTest(dir) {
			t.Errorf("ARCHITECTURE.md does not plan %s; give it a place and a budget", dir)
		}
	}
}

// Code grows unless somebody counts it.
func TestTheCodeKeepsItsBudget(t *testing.T) {
	lines := map[string]int{}
	tests := 0
	walk(t, func(name string) {
		if path.Ext(name) != ".go" || strings.Contains(name, "testdata/") {
			return
		}
		if dir := path.Dir(name); strings.HasSuffix(name, "_test.go") || isTest(dir) {
			tests += codeLines(readPage(t, name))
		} else {
			lines[dir] += codeLines(readPage(t, name))
		}
	})
	code := 0
	for _, r := range planned(t) {
		code += lines[r.dir]
		if lines[r.dir] > r.budget {
			t.Errorf("%s has %d lines of code, and a budget of %d in ARCHITECTURE.md: take something out, or raise "+
				"the budget and say why in one line of the commit", r.dir, lines[r.dir], r.budget)
		}
	}
	for module, most := range modules {
		n := 0
		walkFrom(t, module, func(name string) {
			if path.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go") {
				n += codeLines(readPage(t, name))
			}
		})
		if n == 0 || n > most {
			t.Errorf("%s has %d lines of code; at most %d", module, n, most)
		}
	}
	if tests > code {
		t.Errorf("the tests have %d lines of code, and the code %d: a test that holds what another holds can go", tests,
			code)
	}
}

// codeLines counts the lines of a source that are neither blank nor comments. All lines of a raw string count.
func codeLines(source string) int {
	n, comment, raw := 0, false, false
	for line := range strings.Lines(source) {
		line = strings.TrimSpace(line)
		switch {
		case raw:
			n++
			raw = strings.Count(line, "`")%2 == 0
		case comment || strings.HasPrefix(line, "/*"):
			comment = !strings.Contains(line, "*/")
		case line != "" && !strings.HasPrefix(line, "//"):
			n++
			before, _, _ := strings.Cut(line, "//")
			raw = strings.Count(before, "`")%2 == 1
		}
	}
	return n
}
