package message

import (
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain, été, 日本":       "plain, été, 日本",
		"a\x1b[2Jb":            "a [2Jb",
		"two\r\nlines\there":   "two  lines here",
		"\u0085\u2028\u2029":   "   ",
		"gcra\u202eargc":       `gcra\u202eargc`,
		"\u2066a\u2069\u200f":  `\u2066a\u2069\u200f`,
		"a\u200bb\u00ad\ufeff": `a\u200bb\u00ad\ufeff`,
		"a\xffb":               "a\uFFFDb",
		"a\xff\nb":             "a\uFFFD b",
		"family \u200d emoji":  "family \u200d emoji",
		"`|<b>=1":              "`|<b>=1", // markup is the business of those who write markup
	} {
		if got := Visible(in); got != want {
			t.Errorf("Visible(%q) = %q, want %q", in, got, want)
		}
	}
}

// Whatever comes in, nothing that acts comes out, and once more changes nothing.
func TestVisibleLeavesNothingThatActs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.OneOf(rapid.String(),
			rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text")
		out := Visible(in)
		for _, r := range out {
			if steers(r) {
				t.Fatalf("%q holds %U", out, r)
			}
		}
		if !utf8.ValidString(out) || Visible(out) != out {
			t.Fatalf("%q is not fit to be shown", out)
		}
	})
}
