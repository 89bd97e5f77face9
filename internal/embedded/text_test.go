package embedded

import (
	"strings"
	"testing"
)

// Which patterns are plain: those of limiters are, and none in which an item could take what the next one needs.
func TestPlainPatterns(t *testing.T) {
	for source, want := range map[string]bool{
		"(%d+) (%d+) (%d+)": true, "(%d+) (-?%d+) (%d+)": true, "^%-?([1-9]%d*)$": true, "^0*(%d+)$": false,
		"x": true, "%d*": true, "a?b?c": true, "a?b?a": false, "%d+5": false, "%d?[1-9]": false, "(%d+):?$": true,
		"": false, "%": false, "a-b": false, "%s": false, ".": false, "[^ ]": false, "[a-]": false, "((a))": false,
		"()": false, "(a": false, "a)": false, "%bxy": false, "%1": false, "a$b": false, "a^": false, "*": false,
		"a++": false, strings.Repeat("a", mostItems): true, strings.Repeat("a", mostItems+1): false,
	} {
		if got := plain(source) != nil; got != want {
			t.Errorf("%q: plain %v, want %v", source, got, want)
		}
	}
}
