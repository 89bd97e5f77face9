package script

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ratelab/internal/limit"
)

var updateBindings = flag.Bool("update-bindings", false,
	"rewrite testdata/badbinding: read the difference before committing it")

// Each folder holds a bad binding, my.yaml, or a bad script, and want, every word that is said about it. A folder
// without my.lua gets one that is fine; limit is the limit, 1000/3s where there is none.
func TestBadBindings(t *testing.T) {
	folders, err := filepath.Glob("testdata/badbinding/*")
	if err != nil || len(folders) < 20 {
		t.Fatalf("%d folders, %v", len(folders), err)
	}
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) { checkBadBinding(t, folder) })
	}
}

func checkBadBinding(t *testing.T, folder string) {
	want, err := filepath.Abs(filepath.Join(folder, "want"))
	if err != nil {
		t.Fatal(err)
	}
	policy := threeSeconds
	if text, err := os.ReadFile(filepath.Join(folder, "limit")); err == nil {
		if policy, err = limit.ParsePolicy(strings.TrimSpace(string(text))); err != nil {
			t.Fatal(err)
		}
	}
	got := problemsIn(t, folder, policy)
	if *updateBindings {
		writeFile(t, want, got)
	}
	// a checkout on Windows has \r
	if diff := cmp.Diff(strings.ReplaceAll(contents(t, want), "\r\n", "\n"), got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// problemsIn is what Load says of a copy of the folder.
func problemsIn(t *testing.T, folder string, p limit.Policy) string {
	t.Helper()
	here := t.TempDir()
	if err := os.CopyFS(here, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	t.Chdir(here)
	if _, err := os.Stat("my.lua"); err != nil {
		writeFile(t, "my.lua", "return 1\n")
	}
	program, err := Load(OnDisk("my.lua"), p)
	if err == nil || program != nil {
		t.Fatalf("Load gave %v and %v; want problems alone", program, err)
	}
	return err.Error() + "\n"
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// What cannot be written into an archive of text.
func TestBadFiles(t *testing.T) {
	const fine = "keys: [\"rl:{key}\"]\nadmitted: [1]\n"
	cases := []struct {
		situation   string
		lua, yaml   string
		file, wants string
	}{
		{"a script of more than a mebibyte", strings.Repeat("-", 1<<20+1), fine, "my.lua",
			"my.lua:1:1: the file has more than 1048576 bytes; want at most that"},
		{"a binding of more than a mebibyte", "return 1", strings.Repeat("#", 1<<20+1), "my.lua",
			"my.yaml:1:1: the file has more than 1048576 bytes; want at most that"},
		{"a script in Latin-1", "-- caf\xe9\nreturn 1", fine, "my.lua",
			"my.lua:1:7: the byte 0xe9 is not UTF-8; want a UTF-8 text"},
		{"a binding in Latin-1", "return 1", fine + "name: caf\xe9", "my.lua",
			"my.yaml:3:10: the byte 0xe9 is not UTF-8; want a UTF-8 text"},
		{"compiled Lua", "\x1bLuaQ", fine, "my.lua", "my.lua:1:1: the control character U+001B; want text only"},
		{"a binding with a zero byte", "return 1", "keys: \x00", "my.lua",
			"my.yaml:1:7: the control character U+0000; want text only"},
		{"the binding instead of the script", "return 1", fine, "my.yaml",
			"my.yaml: not the name of a script; want one that ends in .lua"},
		{"an extension alone", "return 1", fine, ".lua", ".lua: not the name of a script; want one that ends in .lua"},
		{"a script that is not there", "return 1", fine, "My Script.lua",
			"My Script.lua: no such file\nMy Script.yaml: no such file; My Script.lua needs a binding that says how " +
				"to call it, such as " + minimal},
		{"a folder", "return 1", fine, "folder.lua",
			"folder.lua: is a folder, not a file; want a file of text\nfolder.yaml: is a folder, not a file; want a " +
				"file of text"},
	}
	for _, c := range cases {
		t.Run(c.situation, func(t *testing.T) {
			t.Chdir(t.TempDir())
			writeFile(t, "my.lua", c.lua)
			writeFile(t, "my.yaml", c.yaml)
			for _, folder := range []string{"folder.lua", "folder.yaml"} {
				if err := os.Mkdir(folder, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			_, err := Load(OnDisk(c.file), threeSeconds)
			if err == nil || err.Error() != c.wants {
				t.Errorf("got  %v\nwant %s", err, c.wants)
			}
		})
	}
}

// A file's name becomes the row's name, unless the binding has a better one.
func TestAFileNameThatIsNoRowName(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "My_Script.lua", "return 1")
	writeFile(t, "My_Script.yaml", minimal)
	_, err := Load(OnDisk("My_Script.lua"), threeSeconds)
	want := `My_Script.yaml:1:1: the file's base name "My_Script" cannot be the row's name; ` +
		`set name: to one of at most 64 characters; want small letters, digits, and hyphens or underscores between them`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	writeFile(t, "My_Script.yaml", strings.Replace(minimal, "{", "{name: my-script, ", 1))
	p, err := Load(OnDisk("My_Script.lua"), threeSeconds)
	if err != nil || p.Label != "my-script" {
		t.Error(p, err)
	}
}

// The binding that the message shows to copy is one.
func TestTheMinimalBindingLoads(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "my.lua", "return 1")
	writeFile(t, "my.yaml", minimal)
	if _, err := Load(OnDisk("my.lua"), threeSeconds); err != nil {
		t.Error(err)
	}
}
