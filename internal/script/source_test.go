package script

import (
	"fmt"
	"slices"
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
		"ARGV[1], x = 1, 2":                             false,
		"ARGV [ 1 ] = 2":                                false,
		"local all = ARGV":                              false,
		"return unpack(ARGV)":                           false,
		"for i, k in ipairs(KEYS) do end":               false,
		"return ARGV[i]":                                false,
		"return ARGV[#ARGV]":                            false,
		"table.insert(ARGV, 'x')":                       false,
		"return {KEYS = 1}":                             false,
		"KEYS = {}":                                     false,
	} {
		if got := Analyse(source).ReadsArguments; got != want {
			t.Errorf("%q: reads arguments only is %t, want %t", source, got, want)
		}
	}
}

func TestWhatAScriptUsesIsNoticed(t *testing.T) {
	f := Analyse("#!lua name=x flags=no-writes,allow-oom\nredis.setresp(3)\nmath.randomseed(1)\nreturn math.random()")
	if !f.Random || !f.SetsProtocol || !slices.Equal(f.Flags, []string{"no-writes", "allow-oom"}) {
		t.Errorf("the facts are %+v", f)
	}
	f = Analyse("-- random setresp\nreturn 'random setresp'")
	if f.Random || f.SetsProtocol || f.Flags != nil {
		t.Errorf("comments and texts are taken for code: %+v", f)
	}
}

func TestRemarksNameTheLine(t *testing.T) {
	f := Analyse("local x = 1\nlocal e = getfenv()\nlocal s = tostring(x) .. os.clock()\nreturn t._G, t.load")
	if got := fmt.Sprint(f.Refused); got != "[{2 getfenv reaches the server's own redis.call}]" {
		t.Errorf("refused: %s", got)
	}
	if len(f.Embedded) != 2 || f.Embedded[0].Line != 3 || f.Embedded[1].Line != 3 {
		t.Errorf("embedded: %+v, want tostring and os on line 3", f.Embedded)
	}
}

func TestTheDigestIsTheServers(t *testing.T) {
	if got := SHA1("return 1"); got != "e0e1f9fabfc9d4800c877a703b823ac0578ff8db" { // redis-cli SCRIPT LOAD 'return 1'
		t.Errorf("SHA1 is %s", got)
	}
}
