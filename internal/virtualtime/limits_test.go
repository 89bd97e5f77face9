package virtualtime_test

import (
	"fmt"
	"strings"
	"testing"

	"ratelab/internal/limit"
	"ratelab/internal/redis/redistest"
)

// locals returns a source that declares n local variables.
func locals(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "local v%d = %d\n", i, i)
	}
	return b.String()
}

// outer returns an expression that uses n variables.
func outer(n int) string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("v%d", i))
	}
	return strings.Join(names, "+")
}

// A function in Lua 5.1 can have 200 local variables and 60 outer variables. The wrapper uses no local variable of the
// script's function. It uses one outer variable for each of redis, server, KEYS, ARGV, and each library that is used as
// a value.
func TestTheLimitsOfLuaAreTheScripts(t *testing.T) {
	s := redistest.Private(t)
	want(t, s, setup{source: locals(200) + "return v199"}, "199", at(0, "k"))
	wantError(t, s, setup{source: locals(201) + "return v200"}, "has more than 200 local variables")
	want(t, s, setup{source: locals(60) + "return (function() return " + outer(60) + " end)()"}, "1770", at(0, "k"))
	wantError(t, s, setup{source: locals(61) + "return (function() return " + outer(61) + " end)()"},
		"has more than 60 upvalues")
	inner := "return (function() return redis.call('INCRBY', KEYS[1], " + outer(58) + ") end)()"
	want(t, s, setup{source: locals(60) + inner}, "1653", at(0, "k"))
	inner = strings.Replace(inner, outer(58), outer(59), 1)
	wantError(t, s, setup{source: locals(60) + inner}, "user_script:61: ", at(0, "k"))
}

// The wrapper itself keeps these limits, even with many elements per arrival and all libraries.
func TestTheWrapperKeepsWithinLuasLimits(t *testing.T) {
	s := redistest.Private(t)
	it := setup{keys: []string{"{key}", "{key}:{now_us}"}, args: []string{"{now_us}"},
		init: "redis.setresp(3) return math.random(1, 1)"}
	for i := range 14 {
		it.args = append(it.args, fmt.Sprintf("{cost}:%d", i))
	}
	it.source = "local all = {redis, server, math, string, table, cjson, coroutine, bit, struct, cmsgpack, " +
		"getmetatable, setmetatable} " +
		"return #all + #KEYS + #ARGV"
	requests := []limit.Request{at(0, "a"), at(1, "b")}
	requests[1].Cost = 2
	want(t, s, it, "29\n29", requests...)
}
