package strictyaml

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// read parses text and lists what is wrong after use has looked at the values.
func read(t *testing.T, text string, use func(root Value)) string {
	t.Helper()
	f := File{Name: "my.yaml", Wants: "a mapping of a and b", Remedy: "want a mapping of a and b"}
	if root, ok := f.Root([]byte(text)); ok {
		use(root)
	} else if len(f.Errors()) == 0 {
		t.Fatalf("%q: no value, and no problem either", text)
	}
	return f.Errors().Error()
}

func TestEveryProblemOfAFileInItsOrder(t *testing.T) {
	got := read(t, "b: [x, 07]\nc: 1\na: big\n", func(root Value) {
		f := root.Fields("a", "b", "count")
		var n int64
		var word string
		f.Need("count", "a number").Integer(&n, 1, 9)
		f.Get("a").Integer(&n, 1, 9)
		items := f.Get("b").List("two things", 2)
		Choice(items[0], &word, []string{"y", "z"})
		items[1].Integer(&n, 1, 9)
		if n != 0 || word != "" {
			t.Errorf("%d and %q were read", n, word)
		}
	})
	want := `my.yaml:1:1: count: missing; want a number
my.yaml:1:5: b[0]: "x"; did you mean "y"? want one of y, z
my.yaml:1:8: b[1]: "07" is not a whole number; want a whole number from 1 to 9
my.yaml:2:1: c: unknown field; did you mean "a"? want one of a, b, count
my.yaml:3:4: a: "big" is not a whole number; want a whole number from 1 to 9`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		`a word`:       ``,
		`2024-01-01`:   ``, // YAML takes it for a date
		`5`:            `my.yaml:1:4: a: "5" is not text; want a label`,
		`null`:         `my.yaml:1:4: a: nothing is not text; want a label`,
		`""`:           `my.yaml:1:4: a: 0 characters; want a label of 1 to 10 characters`,
		`éééééééééé`:   ``, // characters, not bytes
		`elevenchars`:  `my.yaml:1:4: a: 11 characters; want a label of 1 to 10 characters`,
		`"a\tb"`:       `my.yaml:1:4: a: "a\tb" in quotes has control characters; want a label on one line`,
		`" a"`:         `my.yaml:1:4: a: " a" in quotes begins or ends with a blank; want a label`,
		`{b: c}`:       `my.yaml:1:4: a: a mapping is not text; want a label`,
		`[b]`:          `my.yaml:1:4: a: a list is not text; want a label`,
		"|\n  block\n": `my.yaml:1:4: a: "block\n" in quotes has control characters; want a label on one line`,
	} {
		got := read(t, "a: "+text, func(root Value) {
			var label string
			root.Fields("a").Get("a").Text(&label, "a label", 10)
		})
		if got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", text, got, want)
		}
	}
}

// A file of nothing but errors does not fill the terminal.
func TestTooManyProblems(t *testing.T) {
	for problems, last := range map[int]string{
		100: `my.yaml:100:6: f99: a mapping is not text; want a label`,
		101: `my.yaml:99:6: and 2 more problems; want these fixed first`,
		250: `my.yaml:99:6: and 151 more problems; want these fixed first`,
	} {
		var text strings.Builder
		for i := range problems {
			fmt.Fprintf(&text, "f%d: {}\n", i)
		}
		got := strings.Split(read(t, text.String(), func(root Value) {
			var label string
			for _, e := range root.Mapping("fields").Entries {
				e.Text(&label, "a label", 10)
			}
		}), "\n")
		if len(got) != 100 || got[99] != last {
			t.Errorf("%d problems in %d lines, the last %q; want %q", problems, len(got), got[len(got)-1], last)
		}
	}
}

// Whatever the bytes, there is a value or a problem, and one line for each.
func FuzzRoot(f *testing.F) {
	f.Add([]byte("a: [1, {b: c}]\n? [x]\n: y\n"))
	f.Add([]byte("&a [*a, !!x y]\n---\n"))
	f.Add([]byte("\xff\x00\x1b[31m"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got := read(t, string(data), func(root Value) {
			var word string
			var n int64
			for _, e := range root.Fields("a", "b").Entries {
				e.Text(&word, "text", 10)
				e.List("a list", 3)
				e.Integer(&n, 0, 1)
			}
		})
		for line := range strings.SplitSeq(got, "\n") {
			if line != "" && !strings.HasPrefix(line, "my.yaml:") || strings.ContainsAny(line, "\x1b\x00\r") {
				t.Errorf("%q gives %q", data, line)
			}
		}
	})
}
