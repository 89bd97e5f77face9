package strictyaml

import (
	"fmt"
	"strings"
	"testing"
)

// A file cannot flood the reader: not with one long name, and not with many.
func TestUnknownFieldsAreBounded(t *testing.T) {
	f := &File{Name: "f.yaml"}
	root, _ := f.Root([]byte(strings.Repeat("a", 100_000) + ": 1\n"))
	root.Fields("name")
	if got, want := f.Errors().Error(), "f.yaml:1:1: "+strings.Repeat("a", 60)+
		"…: unknown field; want one of name"; got != want {
		t.Errorf("got %.200s\nwant %s", got, want)
	}
	var many strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&many, "f%d: 1\n", i)
	}
	f = &File{Name: "f.yaml"}
	root, _ = f.Root([]byte(many.String()))
	root.Fields("name")
	lines := strings.Split(f.Errors().Error(), "\n")
	if len(lines) != mostUnknown+1 ||
		lines[mostUnknown] != "f.yaml:21:1: and 4980 more unknown fields; want these mended first" {
		t.Errorf("%d lines, the last %s", len(lines), lines[len(lines)-1])
	}
}
