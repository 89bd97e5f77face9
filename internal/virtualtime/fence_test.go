package virtualtime

import (
	"errors"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"
	"golang.org/x/tools/txtar"

	"ratelab/internal/script"
)

// givenFunctions has the only globals that a body may use. They give no access to commands or clocks.
var givenFunctions = []string{"assert", "error", "ipairs", "next", "pairs", "pcall", "rawequal", "rawget", "rawset",
	"select", "setmetatable",
	"tonumber", "tostring", "type", "unpack", "xpcall", "_VERSION", "bit", "cjson", "cmsgpack", "coroutine", "math",
	"string", "struct", "table"}

// lentNames has the variables of the function make that a body may use.
var lentNames = append([]string{"redis", "server", "KEYS", "ARGV", "getmetatable"}, givenFunctions...)

// made returns the part of a wrapper that makes the bodies, or the error that refuses a script.
func made(source, init string) (text string, err error) {
	s, err := settingsOf(&script.Program{Source: source, Foreign: true, Init: &script.Call{}, InitSource: init})
	if err != nil {
		return "", err
	}
	return s.bodies() + "return make", nil
}

// compiled returns text as compiled by the embedded server's Lua. It contains the prototype of make.
func compiled(t *testing.T, text string) *lua.FunctionProto {
	t.Helper()
	chunk, err := parse.Parse(strings.NewReader(text), "user_script")
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	proto, err := lua.Compile(chunk, "user_script")
	if err != nil {
		t.Skip(err) // there are too many variables or constants for this Lua, so the server also refuses the script
	}
	return proto
}

// globals returns the names of the globals that the instructions of f and of its inner functions read or write.
func globals(f *lua.FunctionProto) (names []string) {
	for _, instruction := range f.Code {
		if op := int(instruction >> 26); op == lua.OP_GETGLOBAL || op == lua.OP_SETGLOBAL {
			names = append(names, f.Constants[instruction&0x3ffff].String())
		}
	}
	for _, inner := range f.FunctionPrototypes {
		names = append(names, globals(inner)...)
	}
	return names
}

// confined compiles text with the embedded server's compiler. It checks that the bodies are two functions that use only
// permitted names.
func confined(t *testing.T, text string) {
	t.Helper()
	main := compiled(t, text)
	if len(main.FunctionPrototypes) != 1 || len(main.FunctionPrototypes[0].FunctionPrototypes) != 3 {
		t.Fatalf("a body ends its own function, and continues outside it:\n%s", text)
	}
	for _, body := range main.FunctionPrototypes[0].FunctionPrototypes[:2] {
		for _, name := range body.DbgUpvalues {
			if !slices.Contains(lentNames, name) {
				t.Errorf("a body uses the variable %s of make:\n%s", name, text)
			}
		}
		for _, name := range globals(body) {
			if !slices.Contains(givenFunctions, name) {
				t.Errorf("a body uses the global %s:\n%s", name, text)
			}
		}
	}
}

var globalUse = regexp.MustCompile(`(?m)[GS]ETGLOBAL\s.*; (.*)$`)

// confinedInC checks the same in the listing of Lua's own compiler.
func confinedInC(t *testing.T, luac, text string) {
	t.Helper()
	list := exec.CommandContext(t.Context(), luac, "-l", "-p", "-")
	list.Stdin = strings.NewReader(text)
	out, err := list.CombinedOutput()
	if err != nil {
		return // Lua refuses the script
	}
	for _, use := range globalUse.FindAllStringSubmatch(string(out), -1) {
		if !slices.Contains(givenFunctions, use[1]) {
			t.Errorf("in Lua's listing, a body uses the global %s:\n%s", use[1], text)
		}
	}
	makers := regexp.MustCompile(`(?m)^function <stdin:1,.*\n(?:.*\n)*?\n`).FindString(string(out))
	if n := strings.Count(makers, "\tCLOSURE"); n != 3 {
		t.Errorf("in Lua's listing, make has %d functions, want 3:\n%s\n%s", n, text, out)
	}
}

// hostile returns the scripts of cmd/simulate/testdata/hostile, by name, without their bindings.
func hostile(t testing.TB) map[string]string {
	t.Helper()
	archives, err := filepath.Glob("../../cmd/simulate/testdata/hostile/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("%d archives of hostile scripts (%v)", len(archives), err)
	}
	scripts := map[string]string{}
	for _, path := range archives {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if strings.HasSuffix(f.Name, ".lua") {
				scripts[f.Name] = string(f.Data)
			}
		}
	}
	return scripts
}

func TestBodiesSeeWhatTheyMay(t *testing.T) {
	accepted := 0
	for name, source := range hostile(t) {
		text, err := made(source, "return 1")
		if err != nil {
			continue
		}
		accepted++
		t.Run(name, func(t *testing.T) { confined(t, text) })
	}
	if accepted == 0 {
		t.Error("all scripts are refused before they are wrapped")
	}
}

// FuzzFence looks for a script that is not refused, and that uses more names than it may. If luac5.1 is on PATH and the
// tests are not short, Lua's own compiler checks the script, too.
func FuzzFence(f *testing.F) {
	for _, source := range hostile(f) {
		f.Add(source, "return 1")
	}
	for _, seed := range []string{
		"do return 1 end end,function() return redis", "return 1 end local x = " +
			"function()", "]] end --[==[", "--[[", "--\rend", "'\\\nend'",
		"local redis = function() return redis end", "repeat local _G until _G", "for _G = 1, 2 do end " +
			"return _G", "local function _G() return _G end",
		"local a a = 1", "return function(...) return arg end", "x = x", "function KEYS.x() end",
		"function string:y() end", "goto _G", "return ratelab",
		"local t = {[KEYS] = ARGV; redis} return t.x.y[1]:z'a''b'[[c]]{}", "while KEYS do " +
			"break end", "if x then elseif y then else end",
		"return 0x1p4, 1e400, .5, 3..2", "\xef\xbb\xbfreturn 1", "return [==[\r\n]==] .. " +
			"'\\x41\\z\n'", "#!lua flags=no-writes\nreturn 1", "return load, _G, os, io, debug",
		"make = 1 return make, give, shadow, real, A", "return math, string, cjson, " +
			"getmetatable('')", "local x <const> = 1", "a.b['c'].d, e = 1, 2",
	} {
		f.Add(seed, seed)
	}
	luac, _ := exec.LookPath("luac5.1")
	f.Fuzz(func(t *testing.T, source, init string) {
		text, err := made(source, init)
		var refused *RefusedError
		var compile *CompileError
		switch {
		case errors.As(err, &refused), errors.As(err, &compile):
			return
		case err != nil:
			t.Fatalf("%q and %q: %v", source, init, err)
		}
		confined(t, text)
		if luac != "" && !testing.Short() {
			confinedInC(t, luac, text)
		}
	})
}
