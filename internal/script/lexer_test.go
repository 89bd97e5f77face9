package script

import (
	"strings"
	"testing"
)

// tokensOf writes tokens as "kind:text@line", one blank apart.
func tokensOf(source string) string {
	var out []string
	for _, t := range lex(source) {
		out = append(out, string(t.kind)+":"+t.text+"@"+string(rune('0'+t.line)))
	}
	return strings.Join(out, " ")
}

func TestLuaIsReadWordByWord(t *testing.T) {
	for source, want := range map[string]string{
		"":                            "",
		"KEYS[1]":                     "n:KEYS@1 p:[@1 0:1@1 p:]@1",
		"a\nb\r\nc":                   "n:a@1 n:b@2 n:c@3",
		"a -- KEYS = 1\nb":            "n:a@1 n:b@2",
		"a --[[ KEYS\n\n]] b":         "n:a@1 n:b@3",
		"a --[==[ ]] ]=] \n ]==] b":   "n:a@1 n:b@2",
		"--[[ never closed\nKEYS":     "",
		"a --[ an ordinary one ]]\nb": "n:a@1 n:b@2",
		`x = "KEYS \" -- no" y`:       `n:x@1 p:=@1 s:"KEYS \" -- no"@1 n:y@1`,
		`'it\\' y`:                    `s:'it\\'@1 n:y@1`,
		"'open":                       "s:'open@1",
		"[[KEYS\n]] y":                "s:[[…]]@1 n:y@2",
		"[=[ ]] ]=] y":                "s:[[…]]@1 n:y@1",
		"a == b .. c":                 "n:a@1 p:==@1 n:b@1 p:..@1 n:c@1",
		"1.5 + 0x1F":                  "0:1.5@1 p:+@1 0:0x1F@1",
		"t.x.y":                       "n:t@1 p:.@1 n:x@1 p:.@1 n:y@1",
		"x = 'a\\\nb' y":              "n:x@1 p:=@1 s:'a\\\nb'@1 n:y@2",
	} {
		if got := tokensOf(source); got != want {
			t.Errorf("%q reads as\n%s\nwant\n%s", source, got, want)
		}
	}
}

// Whatever bytes a file holds, reading it ends and makes up no text of its own.
func FuzzLexerEnds(f *testing.F) {
	for _, seed := range []string{"--[", "[=", "'\\", "\"", "[[", "--[==[", "0.", "\xff\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		for _, token := range lex(source) {
			if token.text != "[[…]]" && !strings.Contains(source, token.text) || token.line < 1 {
				t.Errorf("%q gives the token %+v", source, token)
			}
		}
		Analyse(source)
	})
}
