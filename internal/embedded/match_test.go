package embedded_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// Whatever the pattern, the form and the arguments, gopher-lua's own answer the same.
func TestMatchAndFormatAnswerAsGopherLuas(t *testing.T) {
	ours, its := dial(t, server(t)), dial(t, stock(t))
	const one = `(%d|0|1|-|:|a|%-|%\.|\[1-9\]|\[0-1\])[+*?]?`
	const captured = `\((%d|1|:)[+*?]?(-\??)?%d?\)`
	const form = `(%\.0f|%016\.0f|%012\.0f|%05\.0f|%08d|%010d|%d|%5d|%s|%%| |x){1,4}`
	rapid.Check(t, func(rt *rapid.T) {
		var calls []string
		for range 20 {
			pattern := rapid.StringMatching(`\^?(`+one+`|`+captured+`){1,5}\$?`).Draw(rt, "pattern")
			text := rapid.StringMatching(`[019:a.-]{0,8}`).Draw(rt, "text")
			calls = append(calls, fmt.Sprintf("pcall(string.match, %q, %q)", text, pattern))
			form := rapid.StringMatching(form).Draw(rt, "form")
			number := rapid.OneOf(rapid.Float64(),
				rapid.Map(rapid.Int64(), func(n int64) float64 { return float64(n) }),
				rapid.SampledFrom([]float64{0, 1, -1, 1 << 53, -(1 << 53), 1<<53 + 2, 999, 0.5})).Draw(rt, "number")
			more := rapid.SampledFrom([]string{"", ", 7", ", '8', -9", ", nil, 1"}).Draw(rt, "more")
			calls = append(calls, fmt.Sprintf("pcall(string.format, %q, %.17g%s)", form, number, more))
		}
		for _, call := range calls {
			source := "local function shown(ok, ...) if not ok then return 'fails' end local t = {...} " +
				"for i = 1, 4 do t[i] = tostring(t[i]) end return t end return shown(" + call + ")"
			if got, want := ours.ask(t, "EVAL", source, "0"), its.ask(t, "EVAL", source, "0"); got != want {
				rt.Fatalf("%s: answered %q, by miniredis %q", call, got, want)
			}
		}
	})
}

// A script may make as many patterns as it likes.
func TestPatternsAreForgotten(t *testing.T) {
	conn := dial(t, server(t))
	for range 2 {
		conn.ask(t, "EVAL", fmt.Sprintf("for i = 1, %d do string.match('x', 'y' .. i) end", 2001), "0")
	}
	if got := conn.ask(t, "EVAL", "return string.match('x7 8', '(%d) (%d)')", "0"); got != "$1\r\n7\r\n" {
		t.Errorf("answered %q", got)
	}
}
