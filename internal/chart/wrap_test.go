package chart

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Wrapped lines fit, and hold the same letters in the same order.
func TestWrapFitsAndLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[a-zA-Z ?é]{0,300}`).Draw(t, "text")
		width := rapid.Float64Range(40, 400).Draw(t, "width")
		lines := Wrap(text, width, TitleLetters)
		for _, line := range lines {
			if TitleLetters.Width(line) > width {
				t.Fatalf("%q is wider than %.0f", line, width)
			}
		}
		squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if squeeze(strings.Join(lines, "")) != squeeze(text) {
			t.Fatalf("%q became %q", text, lines)
		}
	})
}

// A label too long for its panel keeps its beginning and its end, where the parameters are.
func TestShortenKeepsBothEnds(t *testing.T) {
	label := "token-bucket-interval:capacity=1000:refill=10:interval=30ms"
	got := Shorten(label, 150, PanelLetters)
	head, tail, cut := strings.Cut(got, "…")
	if !cut || !strings.HasPrefix(label, head) || !strings.HasSuffix(label, tail) || PanelLetters.Width(got) > 150 {
		t.Errorf("shortened to %q", got)
	}
	if got := Shorten("gcra", 150, PanelLetters); got != "gcra" {
		t.Errorf("what fits became %q", got)
	}
}
