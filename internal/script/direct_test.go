package script

import (
	"slices"
	"strings"
	"testing"
)

func TestDirect(t *testing.T) {
	for _, c := range []struct {
		source, body string
		width        int
		commands     string
	}{
		{"return {1, 2}", "return 1 , 2", 2, ""},
		{"return {1; {2; 3,}; (4),}", "return 1 , { 2 ; 3 , } , ( 4 )", 3, ""},
		{"if x then return {1} end return {KEYS[1]};", "if x then return 1 end return KEYS [ 1 ] ;", 1, ""},
		{"local function f() return {1, 2, 3} end return {f(), 2}",
			"local function f ( ) return { 1 , 2 , 3 } end return f ( ) , 2", 2, ""},
		{"for i = 1, 2 do repeat return {1} until true end return {2}",
			"for i = 1 , 2 do repeat return 1 until true end return 2", 1, ""},
		{"return {redis.call('GET', KEYS[1])}", "return f1 ( KEYS [ 1 ] )", 1, "GET"},
		{"redis.call('TIME') return server.call('TIME')", "f1 ( ) return f1 ( )", 0, "TIME"},
		{"redis.call('SET', 'a', 1) redis.call('GET', 'a') redis.call('SET', 'b', 1)",
			"f1 ( 'a' , 1 ) f2 ( 'a' ) f1 ( 'b' , 1 )", 0, "SET GET"},
		{"return redis\n.call('GET', 'a')", "return \nf1 ( 'a' )", 0, "GET"},

		// returns of another kind, or of several widths
		{"if x then return {1} end return {1, 2}", "", 0, ""},
		{"if x then return {1} end return", "", 0, ""},
		{"if x then return {1} end", "", 0, ""},
		{"return {1}, 2", "", 0, ""},
		{"return ({1, 2})", "", 0, ""},
		{"return {}", "", 0, ""},
		{"return {1, err = 'a'}", "", 0, ""},
		{"return {[1] = 1}", "", 0, ""},
		{"return {1, f()}", "", 0, ""},
		{"return {unpack(ARGV)}", "", 0, ""},
		{"return {1, ...}", "", 0, ""},
		{"return {1, 2, 3, 4, 5, 6, 7, 8, 9}", "", 0, ""},
		{"local redis = {call = f} return {redis.call('GET')}", "", 0, ""},

		// calls of another kind
		{"return redis.pcall('GET', 'a')", "", 0, ""},
		{"return redis.call(c, 'a')", "", 0, ""},
		{"return redis.call('G' .. 'ET', 'a')", "", 0, ""},
		{"return redis.call 'TIME'", "", 0, ""},
		{"return a.redis.call('TIME')", "", 0, ""},
		{"local function f() return redis.call('TIME') end", "", 0, ""},
		{"local redis = 1 redis.call('TIME')", "", 0, ""},
	} {
		facts := Analyse(c.source)
		got, want := facts.Direct("f", true), c.body
		if want == "" {
			want = strings.TrimSpace(facts.Body)
		}
		if strings.TrimSpace(got.Body) != want || got.Width != c.width ||
			strings.Join(got.Commands, " ") != c.commands {
			t.Errorf("%s: %+v, want %q, %d, %q", c.source, got, want, c.width, c.commands)
		}
	}
}

func TestDirectSpreadsOnlyIfAsked(t *testing.T) {
	d := Analyse("return {1, 2}").Direct("f", false)
	if d.Width != 0 || strings.TrimSpace(d.Body) != "return { 1 , 2 }" {
		t.Errorf("%+v", d)
	}
}

func TestDirectBoundsTheFunctions(t *testing.T) {
	var source strings.Builder
	for _, c := range "ABCDEFGHIJ" {
		source.WriteString("redis.call('" + string(c) + "') ")
	}
	if d := Analyse(source.String()).Direct("f", true); !slices.Equal(d.Commands, strings.Split("ABCDEFGH", "")) ||
		!strings.Contains(d.Body, "redis . call ( 'I' )") {
		t.Errorf("%+v", d)
	}
}

func TestNumbers(t *testing.T) {
	for source, want := range map[string]bool{
		"return 1":             true,
		"return tonumber('1')": true,
		"return tonumber(a or b) + tonumber(redis.call('GET', 'a'))": true,
		"return tonumber('10', 16)":                                  false,
		"return tonumber(f())":                                       false,
		"return tonumber(...)":                                       false,
		"return tonumber()":                                          false,
		"local f = tonumber return f('1')":                           false,
		"local t = {tonumber} do local tonumber = f tonumber(1) end": false,
		"local redis = f() return tonumber(redis.call('a'))":         false,
	} {
		if got := Analyse(source).Numbers; got != want {
			t.Errorf("%s: %t, want %t", source, got, want)
		}
	}
}
