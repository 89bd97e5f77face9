package script

import (
	"fmt"
	"testing"
)

// Functions that Lua 5.4 lacks, and commands on keys that the script makes, are noted with their first line. Local
// names and elements of KEYS are not.
func TestNotesAboutTheSource(t *testing.T) {
	for source, want := range map[string]string{
		"return unpack(ARGV)":                                          "[{1 unpack}] 0",
		"local f = table.unpack or unpack\nreturn f(ARGV)":             "[] 0",
		"local unpack = 1\nreturn unpack":                              "[] 0",
		"\n\nreturn table.maxn({}) + math.mod(3, 2) + table.maxn({})":  "[{3 table.maxn} {3 math.mod}] 0",
		"local table = {maxn = 1}\nreturn table.maxn":                  "[] 0",
		"local s = 'a'\nreturn s:gfind('b'), string.gmatch(s, 'b')":    "[] 0",
		"redis.call('GET', KEYS[1])\nredis.pcall('GET', KEYS[1]..'a')": "[] 2",
		"local k = 'a'\nlocal l = k\n\nredis.call('GET', l)":           "[] 4",
		"local k = KEYS[1]\nredis.call('GET', k)":                      "[] 0",
		"local k = 'a'\nk = KEYS[1]\nredis.call('GET', k)":             "[] 0",
		"redis.call('PUBLISH', 'a', 1)\nreturn redis.sha1hex('a')":     "[] 0",
		"#!lua\nreturn unpack(ARGV)":                                   "[{2 unpack}] 0",
	} {
		f := Analyse(source)
		if got := fmt.Sprint(f.Gone, f.OwnKey); got != want || f.Unread != nil {
			t.Errorf("%q: %s, want %s (%v)", source, got, want, f.Unread)
		}
	}
}
