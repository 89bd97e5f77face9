package algorithms

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// An algorithm is three files of one name, and its script's header answers what a deployer asks.
func TestEachAlgorithmIsComplete(t *testing.T) {
	for _, a := range All() {
		for _, path := range []string{
			"../lua/" + a.Name + ".lua",
			"testdata/" + a.Name + ".txt",
			strings.ReplaceAll(a.Name, "-", "_") + ".go",
		} {
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s: %v; add the file", a.Name, err)
			}
		}
		if a.Family == "" || a.State == "" || a.Rule == "" || a.Bound == "" || len(a.Sources) == 0 {
			t.Errorf("%s: it leaves something out: %+v", a.Name, a)
		}
		for _, p := range a.Parameters {
			if p.Default == "" || p.Doc == "" || p.Kind == "" {
				t.Errorf("%s: its parameter %s leaves something out: %+v", a.Name, p.Name, p)
			}
			if find(rowParameters, p.Name) != nil {
				t.Errorf("%s: every row has the parameter %s; take another name", a.Name, p.Name)
			}
		}
	}
	for name, source := range sources(t) {
		header, _, _ := strings.Cut(source, "\n\n")
		if !strings.HasPrefix(header, "-- "+name+": ") {
			t.Errorf("lua/%s.lua: begin the header with \"-- %s: \" and what it promises", name, name)
		}
		for _, part := range []string{"State", "ARGV", "Reply", "Cost", "Source"} {
			if !strings.Contains(header, "\n-- "+part+" ") {
				t.Errorf("lua/%s.lua: the header has no line that begins with %s", name, part)
			}
		}
	}
}

// sources are the scripts by name, also those for several limits and for costs that are known at the end.
func sources(t *testing.T) map[string]string {
	paths, err := filepath.Glob("../lua/*.lua")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(path), ".lua")] = string(text)
	}
	return all
}

// No file belongs to an algorithm that nobody registered.
func TestNoFileIsLeftOver(t *testing.T) {
	for _, pattern := range []string{"../lua/*.lua", "testdata/*.txt"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
			name = strings.TrimSuffix(strings.TrimSuffix(name, "-atomic"), "-tokens")
			if registered[name] == nil && special[name] == nil && name != "log" {
				t.Errorf("%s: no algorithm %q is registered; add its .go, or delete the file", path, name)
			}
		}
	}
}

// A script that people copy into production is short: comments and blank lines do not count.
func TestScriptsAreShort(t *testing.T) {
	for name, source := range sources(t) {
		lines := strings.FieldsFunc(code(source), func(r rune) bool { return r == '\n' })
		lines = slices.DeleteFunc(lines, func(line string) bool { return strings.TrimSpace(line) == "" })
		if len(lines) > 40 {
			t.Errorf("lua/%s.lua has %d lines of code; want at most 40", name, len(lines))
		}
	}
}

// What the scripts must not do: each of these is wrong on some server, or against the contract.
func TestScriptsKeepToTheContract(t *testing.T) {
	for what, form := range map[string]*regexp.Regexp{
		"numbers become text with 14 digits; use string.format('%.0f', x)": regexp.MustCompile(`tostring`),
		"a pseudo-random decision cannot be repeated":                      regexp.MustCompile(`math\.random`),
		"KEYS and ARGV are read, never assigned":                           regexp.MustCompile(`(?m)\b(KEYS|ARGV)\b(\[[^\]]*\])?\s*=[^=]`),
		"names are local":                                                  regexp.MustCompile(`(?m)^function `),
		"commands are upper case, as the documentation of Redis has them":  regexp.MustCompile(`redis\.p?call\('[a-z]`),
		"an error of a command is the caller's to see; use redis.call":     regexp.MustCompile(`redis\.pcall`),
		"the server's clock is read once, and only when ARGV[1] is empty":  regexp.MustCompile(`(?s)'TIME'.*'TIME'`),
	} {
		for name, source := range sources(t) {
			if form.MatchString(code(source)) {
				t.Errorf("lua/%s.lua: %s", name, what)
			}
		}
	}
}

// code is a script without its comments.
func code(source string) string { return regexp.MustCompile(`--[^\n]*`).ReplaceAllString(source, "") }
