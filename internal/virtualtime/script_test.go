package virtualtime_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"ratelab/internal/limit"
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
	"ratelab/internal/resp"
	"ratelab/internal/virtualtime"
)

var three = []limit.Request{at(1, "a"), at(2, "a"), at(3, "a")}

func TestEachArrivalHasFreshArguments(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		args := []string{"{now_us}", "{cost}"}
		want(t, s, setup{args: args, source: "local was = ARGV[2] ARGV[2] = 'spoilt' KEYS[2] = 'more' return was " +
			".. #KEYS"}, `"12"`+"\n"+`"12"`+"\n"+`"12"`, three...)
		want(t, s, setup{args: args, source: "table.insert(ARGV, 'x') return #ARGV"}, "3\n3\n3", three...)
		want(t, s, setup{args: args, source: "local mine = ARGV mine[1] = nil return type(ARGV[1])"},
			`"nil"`+"\n"+`"nil"`+"\n"+`"nil"`, three...)
		want(t, s, setup{args: args, source: "return {KEYS[1], type(ARGV[1]), ARGV[1], ARGV[3]}"},
			`["a", "string", "1704067200000001"]`+"\n"+`["a", "string", "1704067200000002"]`+"\n"+
				`["b", "string", "1704067200000002"]`,
			at(1, "a"), at(2, "a"), at(2, "b"))
	})
}

func TestTheBodyIsAChunkLikeAnyOther(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		for source, answers := range map[string]string{
			// a chunk is a vararg function, and EVAL passes no arguments
			"return select('#', ...)":                            "0",
			"return 7 -- the last line is a comment":             "7",
			"local x = 1":                                        "(nil)",
			"return":                                             "(nil)",
			"return 1, 2":                                        "1",
			"return false":                                       "(nil)",
			"return true":                                        "1",
			"return -3.99":                                       "-3",
			"return 'text'":                                      `"text"`,
			"return {}":                                          "[]",
			"return {1, {2, {'x'}}, false, 4}":                   `[1, [2, ["x"]], (nil), 4]`,
			"return {1, nil, 3}":                                 "[1]",
			"return redis.status_reply('FINE')":                  `"FINE"`,
			"return {ok = 'FINE'}":                               `"FINE"`,
			"return redis.call('SET', KEYS[1], 'v')":             `"OK"`,
			"return redis.call('GET', KEYS[1])":                  "(nil)",
			"return redis.call('get', KEYS[1]) == false":         "1",
			"return {redis.call('GeT', KEYS[1])}":                "[(nil)]",
			"return redis.sha1hex('')":                           `"da39a3ee5e6b4b0d3255bfef95601890afd80709"`,
			"return type(redis.LOG_WARNING)":                     `"number"`,
			"redis.log(redis.LOG_WARNING, 'x') return 1":         "1",
			"return redis.replicate_commands()":                  "1",
			"return redis.pcall('GET').err and 'caught'":         `"caught"`,
			"local f = function(...) return ... end return f(5)": "5",
			"return cjson.encode({a = 1})":                       `"{\"a\":1}"`,
		} {
			want(t, s, setup{source: source}, answers, at(0, "k"))
		}
	})
}

// A second arrival sees the keys of the first arrival, but none of its changes in Lua.
func TestNothingButKeysOutlivesAnArrival(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		want(t, s, setup{source: "local n n = (n or 0) + 1 return n + redis.call('INCR', KEYS[1])"}, "2\n3\n4",
			three...)
	})
	s := redistest.Private(t)
	want(t, s, setup{source: "local r = redis.call('HGETALL', KEYS[1]) redis.setresp(3) redis.call('HSET', KEYS[1], " +
		"'f', 1) " +
		"return (r.map and 'map' or 'array') .. (redis.call('HGETALL', KEYS[1]).map and ' map' or ' array')"},
		`"array map"`+"\n"+`"array map"`+"\n"+`"array map"`, three...)
	wantError(t, s, setup{source: "total = 1"}, `line 1: assigns to the global "total"; Redis refuses it`)
}

func TestTimeIsTheRequestsOwn(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		want(t, s, setup{source: "return redis.call('TIME')"}, `
["1704067200", "0"]
["1704067200", "7"]
["1704067201", "20030"]
["1704067201", "999999"]`, at(0, "k"), at(7, "k"), at(1_020_030, "k"), at(1_999_999, "k"))
	})
}

// An error belongs to its arrival. The earlier arrivals are decided, and the error names the line of the author's file.
func TestAnErrorBelongsToItsArrival(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		source := "-- three lines\nlocal n = redis.call('INCR', KEYS[1])\nif n == 3 then FAIL end\nreturn n"
		for fail, text := range map[string]string{
			"n = nil + 1":                "user_script:3: ",
			"error('boom')":              "user_script:3: boom",
			"error({err = 'MINE boom'})": "MINE boom, on user_script:3",
			"redis.call('HGET', KEYS[1], 'f')": "WRONGTYPE Operation against a key holding the wrong kind of " +
				"value, on user_script:3",
			"redis.call('XADD', KEYS[1], '*')":     `virtual time does not know the command "XADD", on user_script:3`,
			"return redis.error_reply('MY error')": "MY error",
			// A script cannot catch and ignore the refusal of a call that virtual time cannot follow.
			"redis.pcall('NOSUCH')":               `virtual time does not know the command "NOSUCH"`,
			"pcall(redis.call, 'NOSUCH')":         `virtual time does not know the command "NOSUCH"`,
			"redis.pcall('GET', 'somebody else')": `the script touches the key "somebody else"`,
		} {
			var seen []string
			it := setup{source: strings.Replace(source, "FAIL", fail, 1), batch: 4}
			r, err := newRunner(t, s, it, func(reply resp.Value) { seen = append(seen, reply.String()) })
			if err != nil {
				t.Fatal(err)
			}
			requests := []limit.Request{at(0, "k"), at(5, "k"), at(6, "k"), at(7, "k")}
			err = r.Decide(t.Context(), requests, make([]limit.Decision, 4))
			var call *virtualtime.CallError
			if !errors.As(err, &call) || call.Request != requests[2] || !strings.Contains(call.Text, text) {
				t.Errorf("%s: the error is %v, want %q of the request at 6µs", fail, err, text)
			}
			if got := strings.Join(seen[:2], " "); got != "1 2" {
				t.Errorf("%s: the decisions before it are %s, want 1 2", fail, got)
			}
			if err := r.Close(context.Background()); err != nil {
				t.Fatal(err)
			}
			if n := s.Client.DBSize(t.Context()).Val(); n != 0 {
				t.Errorf("%s: Close left %d keys of a run that failed", fail, n)
			}
		}
	})
}

// If a program survives errors, an error is an answer like any other: an error that the script returns or raises, or
// that a command returns. A call that virtual time cannot follow still ends the run.
func TestAnErrorMayBeAnOutcome(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		want(t, s, setup{source: `local n = redis.call('INCR', KEYS[1])
if n == 1 then error('raised') end
if n == 2 then return redis.error_reply('ERR returned') end
if n == 3 then return redis.call('LPUSH', KEYS[1], 'x') end
return n`, survives: true}, `(error) user_script:2: raised
(error) ERR returned
(error) WRONGTYPE Operation against a key holding the wrong kind of …
4
(error) user_script:2: raised`, at(1, "a"), at(2, "a"), at(3, "a"), at(4, "a"), at(5, "b"))
		wantError(t, s, setup{source: "local name = 'BL' .. 'POP' return redis.call(name, KEYS[1], 0)", survives: true},
			"BLPOP", at(1, "a"))
	})
}

// The init script runs once for each key, before the key's first request. Its errors have the lines of its own file.
func TestInitRunsOncePerKey(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		it := setup{init: "return redis.call('INCRBY', KEYS[1], 100)", source: "return redis.call('INCR', KEYS[1])"}
		want(t, s, it, "101\n102\n101\n103", at(0, "a"), at(1, "a"), at(1, "b"), at(2, "a"))
		it.source = "#!lua flags=no-writes\nreturn redis.call('GET', KEYS[1])"
		want(t, s, it, `"100"`+"\n"+`"100"`, at(0, "a"), at(1, "a"))
		wantError(t, s, setup{init: "\n\nredis.call('HGET')", source: "return 1"}, "user_script(init):3")
		wantError(t, s, setup{init: "return redis.error_reply('NO luck')", source: "return 1"}, "NO luck")
		wantError(t, s, setup{init: "if", source: "return 1"}, "the init script does not compile: ")
	})
}

func TestFlagsOfTheFirstLineAreHonoured(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		refuses := "Write commands are not allowed from read-only scripts., on user_script:2"
		wantError(t, s, setup{source: "#!lua flags=no-writes\nredis.call('SET', KEYS[1], 1)"}, refuses)
		wantError(t, s, setup{source: "#!lua flags=allow-oom,no-writes\nredis.call('SET', KEYS[1], 1, 'PX', 5)"},
			refuses)
		wantError(t, s, setup{source: "#!lua flags=no-write\nreturn 1"},
			`line 1: unknown flag "no-write"; want one of allow-cross-slot-keys, allow-oom`)
		want(t, s, setup{source: "#!lua\nreturn redis.call('SET', KEYS[1], 1)"}, `"OK"`, at(0, "k"))
		// The prelude's own deletes are not the script's writes.
		want(t, s, setup{source: "#!lua flags=no-writes\nreturn redis.call('EXISTS', KEYS[1])",
			init: "return redis.call('SET', KEYS[1], 1, 'PX', 5)"}, "1\n1\n0", at(0, "k"), at(5999, "k"), at(6000, "k"))
	})
}

func TestAScriptThatDoesNotCompileNamesItsLine(t *testing.T) {
	s := redistest.Private(t)
	for source, text := range map[string]string{
		"return 1\nelse":        "does not compile: user_script:2: ",
		"if x then\nreturn 1\n": "does not compile: user_script:3: 'end' expected",
		// inside the wrapper, this would end the wrapper's function
		"return 1 end local x = function()": "does not compile: user_script:1: ",
	} {
		wantError(t, s, setup{source: source}, text)
	}
}

// Random numbers are the same on all servers and with any size of batches. They differ between arrivals.
func TestRandomNumbersAreRepeatable(t *testing.T) {
	source := "return {math.random(1, 1000), math.random(6), math.floor(math.random() * 1000), math.floor(math.pi " +
		"* 100)}"
	requests := []limit.Request{at(0, "k"), at(0, "k"), at(1, "k"), at(1, "k"), at(900_000, "k")}
	answers := map[string]bool{}
	onBoth(t, func(t *testing.T, s *redis.Server) {
		for _, batch := range []int{1, 2, 4096} {
			out, err := replies(t, s, setup{source: source, batch: batch}, requests...)
			if err != nil {
				t.Fatal(err)
			}
			answers[strings.Join(out, "\n")] = true
			each := map[string]bool{}
			for _, one := range out {
				each[one] = true
			}
			if len(each) != len(requests) {
				t.Errorf("two arrivals have the same random numbers: %q", out)
			}
		}
	})
	if len(answers) != 1 {
		t.Errorf("the servers and batches draw %d different sequences, want one: %v", len(answers), answers)
	}
}

// A command that virtual time cannot follow is refused with its name.
func TestUnknownCommandsAreNamed(t *testing.T) {
	s := redistest.Private(t)
	for _, command := range []string{"SELECT", "PUBLISH", "EVAL", "SCAN", "KEYS", "FLUSHALL", "XADD", "HEXPIRE", "SORT",
		"OBJECT",
		"RESTORE", "MOVE", "RANDOMKEY", "FUNCTION", "NOSUCH"} {
		wantError(t, s, setup{source: "return redis.call('" + command + "', KEYS[1], 1)"},
			`virtual time does not know the command "`+command+`"`)
	}
	wantError(t, s, setup{source: "return redis.call('COPY', KEYS[1], KEYS[1] .. 2, 'DB', 1)"},
		`does not know the command "COPY … DB"`)
	wantError(t, s, setup{source: "return redis.call('EXPIRE', KEYS[1], '99999999999999999')"},
		`cannot count as far as the expiry "99999999999999999"`)
	wantError(t, s, setup{source: "return redis.call('EXPIRE', KEYS[1], 1e14)"}, "cannot count as far as the expiry")
	wantError(t, s, setup{source: "return redis.call('GET', KEYS[2])"},
		"Lua redis lib command arguments must be strings or integers")
	wantError(t, s, setup{source: "local x = redis.call(nil)"}, "on user_script:1")
}

// A script may only use keys that are in KEYS, or that begin with one of them. The error names any other key, with any
// size of batches, even if an earlier arrival was allowed to use it.
func TestKeysNotGivenAreNamed(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		wantError(t, s, setup{source: "return redis.call('GET', 'other')"}, `the script touches the key "other"`)
		wantError(t, s, setup{source: "return redis.call('MGET', KEYS[1], 'other')"},
			`the script touches the key "other"`)
		wantError(t, s, setup{source: "return redis.call('GET', 12)"}, `the script touches the key "12"`)
		want(t, s, setup{source: "return redis.call('INCR', KEYS[1] .. ':1')"}, "1\n2", at(0, "k"), at(1, "k"))
		want(t, s, setup{source: "return redis.call('INCR', 12)"}, "1\n2", at(0, "12"), at(1, "12"))
		for _, batch := range []int{1, 2, 100} {
			it := setup{source: "return redis.call('SET', 'a', 1, 'PX', 100)", batch: batch}
			wantError(t, s, it, `request at 2µs, key "b", cost 1: the script touches the key "a"`, at(1, "a"),
				at(2, "b"))
		}
	})
}

// A script that could avoid the virtual clock is refused before it runs.
func TestWaysAroundTheClockAreRefused(t *testing.T) {
	s := redistest.Embedded(t)
	for _, source := range []string{"return _G.redis.call('TIME')", "\nlocal f = loadstring('return 1')",
		"return getfenv(1)"} {
		_, err := newRunner(t, s, setup{source: source}, nil)
		var refused *virtualtime.RefusedError
		if !errors.As(err, &refused) || len(refused.Remarks) == 0 {
			t.Errorf("%q gives %v, want a refusal", source, err)
		}
		_, err = newRunner(t, s, setup{source: "return 1", init: source}, nil)
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), "init script") {
			t.Errorf("%q as init gives %v, want a refusal", source, err)
		}
	}
}

// Each request has a unique id. All ids have the same length, and are the same in each run and with any size of
// batches.
func TestIDsAreUnique(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		for _, batch := range []int{1, 2, 5} {
			want(t, s, setup{args: []string{"{id}"}, batch: batch, source: "return ARGV[1]"},
				`"0000000000000000"`+"\n"+`"0000000000000001"`+"\n"+`"0000000000000002"`, three...)
		}
	})
}

// An empty key is passed to the script, but permits no other key.
func TestAnEmptyKeyIsNone(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		it := setup{keys: []string{"{key}", ""}, foreign: true}
		it.source = "return {#KEYS, KEYS[2], redis.call('INCR', KEYS[1])}"
		want(t, s, it, `[2, "", 1]`, at(1, "a"))
		it.source = "return redis.call('EXISTS', KEYS[2])"
		wantError(t, s, it, `the script touches the key ""`)
		it.source = "return redis.call('EXISTS', 'other')"
		wantError(t, s, it, `the script touches the key "other"`)
	})
}
