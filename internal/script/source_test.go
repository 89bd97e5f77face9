package script

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A script that only reads single elements cannot tell fresh tables from reused ones; whatever else it does with
// KEYS or ARGV, it gets fresh ones. Doubt counts as the latter.
func TestScriptsThatOnlyReadTheirArgumentsAreKnown(t *testing.T) {
	for source, want := range map[string]bool{
		"return 1":                                      true,
		"return redis.call('GET', KEYS[1])":             true,
		"local a, b = tonumber(ARGV[1]), ARGV[2]":       true,
		"if #KEYS == 1 then return KEYS[1] .. ':x' end": true,
		"if ARGV[1] == '' then return 0 end":            true,
		"local t = {ARGV[1], ARGV[2]}":                  true,
		"-- KEYS = nil\nreturn 'ARGV = {}'":             true,
		"return cfg.ARGV":                               true,
		"ARGV[1] = 2":                                   false,
		"local x x, ARGV[1] = 1, 2":                     false,
		"ARGV[1].x = 2":                                 true, // an error at run time
		"ARGV[1], x = 1, 2":                             false,
		"ARGV [ 1 ] = 2":                                false,
		"local all = ARGV":                              false,
		"return unpack(ARGV)":                           false,
		"for i, k in ipairs(KEYS) do end":               false,
		"for i = 1, #ARGV do local a = ARGV[i] end":     true,
		"return ARGV[#ARGV]":                            true,
		"return {KEYS = 1}":                             true,
		"local KEYS = {} KEYS[1] = 2":                   true,
		"table.insert(ARGV, 'x')":                       false,
		"rawset(KEYS, 1, 'x')":                          false,
		"return KEYS:x()":                               false,
		"KEYS = {}":                                     true, // refused
	} {
		if got := Analyse(source).ReadsArguments; got != want {
			t.Errorf("%q: reads arguments only is %t, want %t", source, got, want)
		}
	}
}

func TestWhatAScriptUsesIsNoticed(t *testing.T) {
	f := Analyse("#!lua flags=no-writes,allow-oom\nredis.setresp(3)\nmath.randomseed(1)\nreturn math.random()")
	if !f.Random || !f.SetsProtocol || !slices.Equal(f.Flags, []string{"no-writes", "allow-oom"}) || f.Values != nil ||
		f.Refused != nil {
		t.Errorf("the facts are %+v", f)
	}
	f = Analyse("-- random setresp\nreturn 'random setresp', math.floor(1), redis.call('TIME')")
	if f.Random || f.SetsProtocol || f.Flags != nil || f.Metatables || f.Varargs || f.Values != nil {
		t.Errorf("comments and texts are taken for code: %+v", f)
	}
	for source, want := range map[string]bool{"return ...": true, "if (...) then end": true,
		"return function(...) return ... end": false} {
		if got := Analyse(source).Varargs; got != want {
			t.Errorf("%q uses its chunk's arguments: %t, want %t", source, got, want)
		}
	}
	f = Analyse("local m, r = math, {redis} for k in pairs(cjson) do end return string[m], getmetatable('')")
	if !f.Random || !f.SetsProtocol || !f.Metatables ||
		!slices.Equal(f.Values, []string{"cjson", "math", "redis", "string"}) {
		t.Errorf("the facts are %+v", f)
	}
}

// remarks writes what is refused, one remark a line.
func remarks(all []Remark) string {
	var lines []string
	for _, r := range all {
		lines = append(lines, fmt.Sprintf("%d: %s", r.Line, r.Text))
	}
	return strings.Join(lines, "\n")
}

// Each free name that Redis does not give, or through which a script would step around the clock, is refused with its
// line; a name of the script's own may be called what it likes.
func TestNamesAreRefused(t *testing.T) {
	for source, want := range map[string]string{
		"local x = 1\nlocal e = getfenv()\nreturn t._G, redis.load": "2: getfenv reaches the server's own redis.call " +
			"(and does not exist in Redis)\n" +
			"3: Redis has no global \"t\"; declare it local, or correct its spelling",
		"local load, debug = 1, {}\nload = debug.x return load": "",
		"return ratelab_redis": `1: Redis has no global "ratelab_redis"; declare it local, or correct its spelling`,
		"x = 1":                `1: assigns to the global "x"; Redis refuses it: attempt to modify a readonly table`,
		"\nredis = nil":        `2: assigns to the global "redis"; Redis refuses it: attempt to modify a readonly table`,
		"KEYS, ARGV = {}, {}": "1: assigns to the global \"KEYS\"; Redis refuses it: attempt to modify a readonly " +
			"table\n" +
			`1: assigns to the global "ARGV"; Redis refuses it: attempt to modify a readonly table`,
		"redis.call = 1": "1: assigns to a field of redis; Redis refuses " +
			"it: attempt to modify a readonly table",
		"redis['ca' .. 'll'] = 1": "1: assigns to a field of redis; Redis refuses " +
			"it: attempt to modify a readonly table",
		"function redis.pcall() end": "1: assigns to a field of redis; Redis refuses " +
			"it: attempt to modify a readonly table",
		"function string:x() return self end": "1: assigns to a field of string; Redis refuses " +
			"it: attempt to modify a readonly table",
		"function f() end": `1: assigns to the global "f"; Redis refuses it: attempt to modify a readonly table`,
		"KEYS[2] = 'x'":    "",
		"for i, v in ipairs(x) do end return i": "1: Redis has no global \"x\"; declare it local, " +
			"or correct its spelling\n1: Redis has no global \"i\"; declare it local, or correct its spelling",
		"for i = 1, 2 do local a = i end":         "",
		"local function f() return f end":         "",
		"local f = function() return f end":       `1: Redis has no global "f"; declare it local, or correct its spelling`,
		"local load = function() load('x')() end": "1: load compiles code that would see the real clock",
		"local x = x":                          `1: Redis has no global "x"; declare it local, or correct its spelling`,
		"repeat local x = 1 until x":           "",
		"do local x end return x":              `1: Redis has no global "x"; declare it local, or correct its spelling`,
		"local function f(...) return arg end": "",
		"return arg":                           `1: Redis has no global "arg"; declare it local, or correct its spelling`,
		"local t = {} function t:f() return self end return self": `1: Redis has no global "self"; declare it local, or correct its spelling`,
		"if KEYS then elseif ARGV then return _G end":             "1: _G reaches the server's own redis.call",
		"return os.clock()": "1: os shows the real clock, which virtual time cannot control; want redis.call('TIME')",
		"print('x')":        "1: print does not exist in Redis",
		"cjson.encode_max_depth(1) cjson.encode({})": "1: cjson.encode_max_depth changes the server for all " +
			"scripts",
		"collectgarbage('stop')":               "1: collectgarbage controls the server's own memory",
		"goto x":                               "1: Redis's Lua 5.1 has no goto",
		"#!python\nreturn 1":                   `1: "#!python" names a script engine that Redis does not have; want #!lua`,
		"#!\nreturn 1":                         `1: "#!" names a script engine that Redis does not have; want #!lua`,
		"#!lua name=x\nreturn 1":               `1: unknown option "name=x" after #!lua; want flags=`,
		"#!lua flags=no-writes,fast\nreturn 1": `1: unknown flag "fast"; want one of allow-cross-slot-keys, allow-oom, allow-stale, no-cluster, no-writes`,
	} {
		f := Analyse(source)
		if got := remarks(f.Refused); got != want || f.Unread != nil {
			t.Errorf("%q is refused with\n%s (%v)\nwant\n%s", source, got, f.Unread, want)
		}
	}
}

// A file that is no Lua has no body to send.
func TestWhatIsNoLuaIsNotRead(t *testing.T) {
	for source, want := range map[string]Remark{
		"do return 1 end end, function()": {1, `unexpected "end"`},
		"\nreturn (1":                     {2, "the script ends in the middle of a statement"},
		"return 'x":                       {1, `unterminated string near "x"`},
		"local 5":                         {1, `unexpected "5"`},
	} {
		f := Analyse(source)
		if f.Unread == nil || *f.Unread != want || f.Body != "" {
			t.Errorf("%q: %v and the body %q, want %v", source, f.Unread, f.Body, want)
		}
	}
}

func TestTheDigestIsTheServers(t *testing.T) {
	if got := SHA1("return 1"); got != "e0e1f9fabfc9d4800c877a703b823ac0578ff8db" { // redis-cli SCRIPT LOAD 'return 1'
		t.Errorf("SHA1 is %s", got)
	}
}
