package message

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestShown(t *testing.T) {
	for in, want := range map[string]string{
		"plain, été, 日本 \"quoted\"":       "plain, été, 日本 \"quoted\"",
		"\x1b[31mred\x1b]0;title\x07":     `\x1b[31mred\x1b]0;title\a`,
		"two\r\nlines\tand\u0085\u2028":   `two\r\nlines\tand\u0085\u2028`,
		"\u202egnp.exe\u2066\u200f\u061c": `\u202egnp.exe\u2066\u200f\u061c`,
		"a\xffb\x9b":                      `a\xffb\x9b`,
		strings.Repeat("é", 3000):         strings.Repeat("é", 2000) + "…",
	} {
		if got := Shown(in); got != want {
			t.Errorf("Shown(%.60q) = %.60q, want %.60q", in, got, want)
		}
	}
	if got, want := OneLine(" two\n  lines\x00 and more", 10), `two lines\x00…`; got != want {
		t.Errorf("OneLine gives %q, want %q", got, want)
	}
}

// Whatever comes in, nothing that acts comes out, and once more changes nothing.
func TestShownLeavesNothingThatActs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.OneOf(rapid.String(),
			rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text")
		out := Shown(in)
		if strings.ContainsFunc(out, steers) || !utf8.ValidString(out) || Shown(out) != out {
			t.Fatalf("%q is not fit to be shown", out)
		}
	})
}
