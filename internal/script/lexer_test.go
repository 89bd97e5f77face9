package script

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// tokensOf writes tokens as "kind:text@line", one blank apart, and what is wrong after them.
func tokensOf(source string) string {
	var out []string
	tokens, err := lex(source)
	for _, t := range tokens {
		out = append(out, string(t.kind)+":"+t.text+"@"+string(rune('0'+t.line)))
	}
	if err != nil {
		out = append(out, "error: "+err.Error())
	}
	return strings.Join(out, " ")
}

func TestLuaIsReadWordByWord(t *testing.T) {
	for source, want := range map[string]string{
		"":                            "",
		"KEYS[1]":                     "n:KEYS@1 p:[@1 0:1@1 p:]@1",
		"a\nb\r\nc\n\rd\re":           "n:a@1 n:b@2 n:c@3 n:d@4 n:e@5",
		"a -- KEYS = 1\nb":            "n:a@1 n:b@2",
		"a --[[ KEYS\n\n]] b":         "n:a@1 n:b@3",
		"a --[==[ ]] ]=] \n ]==] b":   "n:a@1 n:b@2",
		"--[[ never closed\nKEYS":     "error: line 2: a long comment has no end",
		"a --[ an ordinary one ]]\nb": "n:a@1 n:b@2",
		"a --[=x[[\nb":                "n:a@1 n:b@2",
		`x = "KEYS \" -- no" y`:       `n:x@1 p:=@1 s:KEYS " -- no@1 n:y@1`,
		`'it\\' y`:                    `s:it\@1 n:y@1`,
		`'\65\066\x41\q\0651\z'`:      "s:ABx41qA1z@1",
		`'\256'`:                      `error: line 1: the escape sequence \256 is too large`,
		"'open":                       "error: line 1: a string has no end",
		"'open\n'":                    "error: line 1: a string has no end",
		"[[\nKEYS\r\n]] y":            "s:KEYS\n@3 n:y@3",
		"[=[ ]] ]=] y":                "s: ]] @1 n:y@1",
		"t[[[x]]]":                    "n:t@1 s:[x@1 p:]@1",
		"t[ [[x]] ]":                  "n:t@1 p:[@1 s:x@1 p:]@1",
		"a == b .. c ~= ...":          "n:a@1 p:==@1 n:b@1 p:..@1 n:c@1 p:~=@1 p:...@1",
		"1.5+0x1F-.5e-3*3.":           "0:1.5@1 p:+@1 0:0x1F@1 p:-@1 0:.5e-3@1 p:*@1 0:3.@1",
		"0xe+1":                       "0:0xe@1 p:+@1 0:1@1",
		"1..2":                        `error: line 1: malformed number near "1..2"`,
		"0x":                          `error: line 1: malformed number near "0x"`,
		"t.x.y":                       "n:t@1 p:.@1 n:x@1 p:.@1 n:y@1",
		"x = 'a\\\nb' y":              "n:x@1 p:=@1 s:a\nb@2 n:y@2",
		"x = ä":                       `n:x@1 p:=@1 error: line 1: unexpected symbol "Ã"`,
		"a ! b":                       `n:a@1 error: line 1: unexpected symbol "!"`,
		"a \x00":                      `n:a@1 error: line 1: unexpected symbol "\x00"`,
	} {
		if got := tokensOf(source); got != want {
			t.Errorf("%q reads as\n%s\nwant\n%s", source, got, want)
		}
	}
}

// listing is what Lua 5.1's own compiler makes of source, lines included; ok is false where it refuses it.
func listing(t *testing.T, luac, source string) (text string, ok bool) {
	t.Helper()
	compile := exec.CommandContext(t.Context(), luac, "-l", "-l", "-p", "-")
	compile.Stdin = strings.NewReader(source)
	out, err := compile.CombinedOutput()
	return addresses.ReplaceAllString(string(out), ""), err == nil
}

var addresses = regexp.MustCompile(`0x[0-9a-f]{6,}`)

// What is sent to a server in an author's place is the same program, by the word of Lua's own compiler: the same
// instructions, constants, names and lines.
func TestTheSpelledScriptIsTheSameProgram(t *testing.T) {
	luac, err := exec.LookPath("luac5.1")
	if err != nil {
		if os.Getenv("REQUIRE_REDIS") == "1" {
			t.Fatal("no luac5.1 on PATH; install lua5.1")
		}
		t.Skip("no luac5.1 on PATH, which compiles both")
	}
	sources := []string{
		"local s = [==[\na]]\n]=]b\r\nc]==] local t = 'x\\\ny\\065\\n\\r\\0\\255\\\"' return s .. t, #s",
		"local function f(a, ...) --[[ c\n]] return a.b['c']:d{1; 2, x = 3}'s'[[t]], -1, not a, 2^-3, ... " +
			"end\nreturn f",
		"for i = 1, 10, 0x1f do while true do repeat local x = i\nuntil x break end end",
		"local a <const> = 1", "goto x", "return f\n(x)", "x = = 1", "local t = {[1] = 2, [ [[k]] ] = 3, .5, " +
			"3e-2}\nreturn t [ [[k]] ]",
		"return 1-- c\n", "return 1--[[c]]-2", "return '--[['..']]'", "a.b.c = function(...) return " +
			"arg end", "function a.b:c(x) self.x = x end",
		"return " + strings.Repeat("(", 300) + "1" + strings.Repeat(")", 300),
	}
	files, _ := filepath.Glob("../../lua/*.lua")
	more, _ := filepath.Glob("../virtualtime/prelude/*.lua")
	for _, file := range slices.Concat(files, more) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, string(text))
	}
	accepted := 0
	for _, source := range sources {
		want, ok := listing(t, luac, source)
		tokens, err := lex(source)
		if !ok || err != nil {
			if ok {
				t.Errorf("Lua compiles what the lexer refuses (%v):\n%s", err, source)
			}
			continue
		}
		accepted++
		if got, _ := listing(t, luac, spell(tokens)); got != want {
			t.Errorf("the script\n%s\nspelled\n%s\nis another program:\n%s\nwant\n%s", source, spell(tokens), got, want)
		}
	}
	if accepted < len(files)+len(more)-2+8 { // single.lua and batch.lua are parts
		t.Errorf("Lua compiles only %d of %d sources", accepted, len(sources))
	}
}

// Whatever bytes a file holds, reading it ends; and what is spelled reads as the same tokens again.
func FuzzLexer(f *testing.F) {
	for _, seed := range []string{"--[", "[=", "'\\", "\"", "[[", "--[==[", "0.", "\xff\x00", "'\\065\\\r\n'",
		"[[\r\n\r]]", "a--[[\n]]b",
		"local function f() return f end", "redis.call('GET', KEYS[1])", "for i=1,2 do end", "0xfe+1..", "t[ [[x]] ]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		tokens, err := lex(source)
		if err == nil {
			again, err := lex(spell(tokens))
			if err != nil || !slices.Equal(tokens, again) {
				t.Errorf("%q gives the tokens %v, and spelled %q the tokens %v (%v)", source, tokens, spell(tokens),
					again, err)
			}
		}
		if facts := Analyse(source); facts.Unread == nil && !bytes.HasPrefix([]byte(source), []byte("#!")) &&
			facts.Body != spell(tokens) {
			t.Errorf("%q is sent as %q, want %q", source, facts.Body, spell(tokens))
		}
	})
}
