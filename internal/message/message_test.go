package message

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestNearest(t *testing.T) {
	names := []string{"keys", "admitted", "name", "gcra", strings.Repeat("keys", 20) + "s"}
	for word, want := range map[string]string{
		"key":                      "keys",
		"admited":                  "admitted",
		"gcar":                     "gcra", // neighbours swapped are two changes
		"colour":                   "",
		"no":                       "", // one letter may differ, not two
		strings.Repeat("keys", 20): "", // too long for a slip
	} {
		if got, ok := Nearest(word, names); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v; want %q", word, got, ok, want)
		}
	}
	if got, ok := Nearest("", []string{"s"}); ok {
		t.Errorf("nothing at all is taken for a slip of %q", got)
	}
	if got, _ := Nearest("gear", []string{"year", "bear"}); got != "year" {
		t.Errorf("of two that are as near: %q; want the first", got)
	}
}

func TestOneOf(t *testing.T) {
	type shape string
	names := []shape{"ramp", "burst"}
	for word, want := range map[string]string{
		"brust": `did you mean "burst"? want one of ramp, burst`,
		"flood": `want one of ramp, burst`,
	} {
		if got := OneOf(word, names); got != want {
			t.Errorf("%s: %s; want %s", word, got, want)
		}
	}
}

func TestQuote(t *testing.T) {
	for s, want := range map[string]string{
		"":                      `""`,
		"a\x1b[31m\n":           `"a\x1b[31m\n"`,
		"caf\xe9":               `"caf\xe9"`,
		strings.Repeat("é", 60): `"` + strings.Repeat("é", 60) + `"`, // characters, not bytes
		strings.Repeat("😀", 61): `"` + strings.Repeat("😀", 60) + `"…`,
	} {
		if got := Quote(s); got != want {
			t.Errorf("%q: %s; want %s", s, got, want)
		}
	}
}

// Whatever the input, what a message shows of it is short, prints, and is the same for text and bytes.
func TestQuotedInputIsHarmless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOfN(rapid.Byte(), 0, 400).Draw(t, "s"))
		quoted, bare := Quote(s), Bare(s)
		if strings.ContainsFunc(quoted, unicode.IsControl) || utf8.RuneCountInString(quoted) > 10*quoteMost+3 {
			t.Fatalf("%s", quoted)
		}
		if Quote([]byte(s)) != quoted || `"`+bare+`"` != quoted && `"`+strings.TrimSuffix(bare, "…")+`"…` != quoted {
			t.Fatalf("%s\n%s\n%s", quoted, Quote([]byte(s)), bare)
		}
	})
}

func TestPath(t *testing.T) {
	for name, want := range map[string]string{"my dir/été.yaml": "my dir/été.yaml", "a\tb": `"a\tb"`,
		"caf\xe9": `"caf\xe9"`} {
		if got := Path(name); got != want {
			t.Errorf("%q: %s; want %s", name, got, want)
		}
	}
}
