package script

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Comments go, strings have one form, words are apart and on their lines.
func TestASpelledScriptReadsInOneWay(t *testing.T) {
	for source, want := range map[string]string{
		"":                              "",
		"a\nb\r\nc\n\rd\re":             "a \nb \nc \nd \ne ",
		"a--[[ KEYS\n\n]]b -- KEYS = 1": "a \n\nb ",
		"a --[==[ ]] ]=] \n ]==] b":     "a \nb ",
		"a --[ an ordinary one ]]\nb":   "a \nb ",
		`x="KEYS \" -- no"y`:            `x = 'KEYS " -- no' y `,
		`'\65\066\x41\q\0651\z'`:        `'ABx41qA1z' `,
		"[[\nKEYS\r\n]] [=[ ]] ]=]":     "\n\n'KEYS\\010' ' ]] ' ",
		"t[[[x]]]":                      "t '[x' ] ",
		"1.5+0x1F-.5e-3*3.":             "1.5 + 0x1F - .5e-3 * 3. ",
		"x = 'a\\\nb' y":                "x = \n'a\\010b' y ",

		"local f=function":        "local f = function ",
		"--[[ never closed\nKEYS": "line 2: long comment without an end, or a short one that begins with --[=",
		"'open\n'":                `line 1: unterminated string near "open"`,
		"\n[[open":                `line 2: unterminated multiline string near "open"`,
		"1..2e":                   `line 1: malformed number near ".2e\xff"`,
		"x = 0x":                  `line 1: illegal hexadecimal number near "0x"`,
		"a ! b":                   `line 1: invalid token near "!"`,
		"a \x00":                  `line 1: invalid token near "\x00"`,
	} {
		tokens, err := lex(source)
		got := spell(tokens)
		if err != nil {
			got = fmt.Sprintf("line %d: %s", err.Line, err.Text)
		}
		if got != want {
			t.Errorf("%q reads as\n%q\nwant\n%q", source, got, want)
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
		"[[\r\n\r]]", "a--[[\n]]b", "000", "00.5",
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
