package architecture

import (
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// widest is how many columns a line may have, a tab counted as four.
const widest = 120

// A line can be read beside another file. One that a raw string is on is as wide as that is.
func TestLinesAreNotWide(t *testing.T) {
	walk(t, func(name string) {
		if !strings.HasSuffix(name, ".go") {
			return
		}
		source, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		raw := rawLines(source)
		for i, line := range strings.Split(string(source), "\n") {
			width := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    "))
			if width > widest && !raw[i+1] {
				t.Errorf("%s:%d: %d columns, want at most %d: break it after a comma or an operator", name, i+1,
					width, widest)
			}
		}
	}, "beam", "libraries")
}

// rawLines are the lines on which a raw string begins, goes on or ends.
func rawLines(source []byte) map[int]bool {
	set := token.NewFileSet()
	file := set.AddFile("", -1, len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, 0)
	lines := map[int]bool{}
	for {
		pos, kind, text := s.Scan()
		if kind == token.EOF {
			return lines
		}
		if kind == token.STRING && text[0] == '`' {
			first := file.Line(pos)
			for n := range 1 + strings.Count(text, "\n") {
				lines[first+n] = true
			}
		}
	}
}
