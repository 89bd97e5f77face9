package report

import "testing"

func TestEscapeMarkdown(t *testing.T) {
	for in, want := range map[string]string{
		"- item": `\- item`, "---": `\---`, "1. item": `1\. item`, "12)": `12\)`, "-5": "-5", "1.5 s": "1.5 s",
		"-": "-", "=== x": `\=== x`,
		"@everyone": "@<!-- -->everyone", "see https://x.org": "see https:<!-- " +
			"-->//x.org", "www.x.org": "www.<!-- -->x.org",
		"  four": "four", "a | b": `a \| b`, "<b>": "&lt;b&gt;", "gcra\u202e": `gcra\\u202e`,
	} {
		if got := EscapeMarkdown(in); got != want {
			t.Errorf("EscapeMarkdown(%q) = %q, want %q", in, got, want)
		}
	}
}
