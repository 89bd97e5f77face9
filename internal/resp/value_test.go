package resp

import (
	"strings"
	"testing"
)

// Whatever a script answers, it is shown in a line that one can read.
func TestRepliesAreShownShort(t *testing.T) {
	deep := Value{Kind: Int, Int: 1}
	for range 10_000 {
		deep = Value{Kind: Array, Items: []Value{deep}}
	}
	if got := deep.String(); got != "[[[[[…]]]]]" {
		t.Errorf("a deep reply is %.100s", got)
	}
	wide := Value{Kind: Int, Int: 1 << 60}
	for range 6 {
		wide = Value{Kind: Array, Items: []Value{wide, wide, wide, wide, wide, wide, wide, wide, wide}}
	}
	if got := wide.String(); len(got) > 600 || !strings.Contains(got, "…") {
		t.Errorf("a wide reply takes %d bytes", len(got))
	}
	long := Value{Kind: Array, Items: []Value{{Kind: String, Text: strings.Repeat("\x1b", 1000)},
		{Kind: Error, Text: "ERR \x1b[31m"}}}
	if got := long.String(); len(got) > 300 || strings.Contains(got, "\x1b") ||
		!strings.HasSuffix(got, `, (error) ERR \x1b[31m]`) {
		t.Errorf("a long text is shown as %s", got)
	}
}
