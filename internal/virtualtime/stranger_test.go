package virtualtime_test

import (
	"strings"
	"testing"

	"ratelab/internal/longtest"
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
)

// A script cannot call a function that changes cjson for all scripts of the server, in whatever way it gets the
// function.
func TestSettingsOfALibraryAreNotLent(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		for name, source := range map[string]string{
			"alias":    "local c = cjson c.encode_max_depth(1) return 1",
			"pieces":   "cjson['encode_' .. 'max_depth'](1) return 1",
			"variable": "local name = 'encode_max_depth' cjson[name](1) return 1",
			"caught":   "local c = cjson pcall(c.encode_max_depth, 1) return 1",
			"each":     "for name, f in pairs(cjson) do if name ~= 'null' then pcall(f, 1) end end return 1",
			"argument": "local function deep(c) c.encode_max_depth(1) end deep(cjson) return 1",
			"table":    "local all = {cjson} all[1].encode_max_depth(1) return 1",
			"rawget":   "rawget(cjson, 'encode_max_depth')(1) return 1",
		} {
			t.Run(name, func(t *testing.T) {
				wantError(t, s, setup{source: source}, "which may change the server for all its scripts")
			})
		}
		const deep = "return cjson.encode({{{1}}})"
		if got, err := s.Client.Eval(t.Context(), deep, nil).Text(); got != "[[[1]]]" {
			t.Errorf("in the next script, cjson returns %q, %v", got, err)
		}
	})
	s := redistest.Private(t)
	wantError(t, s, setup{source: "return cjson.new().encode({})"}, "does not know cjson.new, which may")
}

// The replaced libraries behave like the server's own, even if a script uses them as values.
func TestLibrariesAreLent(t *testing.T) {
	both := map[string]string{
		"local c = cjson return c.encode({1, 'a', true})":              `"[1,\"a\",true]"`,
		"local name = 'decode' return cjson[name]('[1,2,3]')":          "[1, 2, 3]",
		"local c = cjson return c.decode('{\"a\": {\"b\": 7}}').a.b":   "7",
		"local s = string return s.format('%05.1f', 3.14159)":          `"003.1"`,
		"local t = table local x = {3, 1, 2} t.sort(x) return x":       "[1, 2, 3]",
		"local t = table return t.concat({1, 2}, '-')":                 `"1-2"`,
		"local m = math return {m.floor(2.5), m.max(1, 9), m.huge>1}":  "[2, 9, 1]",
		"local c = coroutine return c.wrap(function() return 5 end)()": "5",
		"local r = redis return r.call('SET', KEYS[1], 'v')":           `"OK"`,
	}
	onBoth(t, func(t *testing.T, s *redis.Server) {
		for source, answer := range both {
			want(t, s, setup{source: source}, answer, at(0, "k"))
		}
	})
	for _, name := range []string{"bit", "struct", "cmsgpack"} { // which the embedded server lacks
		source := "\nlocal l = " + name + " return l.pack(1)"
		wantError(t, redistest.Embedded(t), setup{source: source}, "user_script:2: ")
	}
	s := redistest.Private(t)
	for source, answer := range map[string]string{
		"local c = cjson return c.decode('[null]')[1] == c.null":                      "1",
		"local m = cmsgpack return m.unpack(m.pack({1, 2, 3}))":                       "[1, 2, 3]",
		"return cmsgpack.unpack(cmsgpack.pack('x'))":                                  `"x"`,
		"local s = struct return s.unpack('>I2', s.pack('>I2', 513))":                 "513",
		"return struct.size('>I4')":                                                   "4",
		"local b = bit return {b.band(6, 3), b.bor(6, 3), b.lshift(1, 4), b.bnot(0)}": "[2, 7, 16, -1]",
	} {
		want(t, s, setup{source: source}, answer, at(0, "k"))
	}
}

// A command's name must be a string, because a server's commands may be renamed to numbers.
func TestACommandIsNamedByAString(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		for source, kind := range map[string]string{
			"redis.call(8472) return 1":                        "number",
			"redis.pcall(8472, KEYS[1]) return 1":              "number",
			"pcall(redis.call, 0 / 0) return 1":                "number",
			"redis.pcall({}) return 1":                         "table",
			"redis.pcall() return 1":                           "nil",
			"redis.pcall(true) return 1":                       "boolean",
			"redis.pcall(setmetatable({}, {__index = 'GET'}))": "table",
		} {
			wantError(t, s, setup{source: source}, "a command is named by a string, not by a "+kind)
		}
	})
}

// A number of keys is refused if Lua and the server may read it differently. Otherwise the keys after it would not be
// checked.
func TestNumbersOfKeysAreReadAsByTheServer(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		for i, count := range []string{"'nan'", "'-nan'", "0 / 0", "'0'", "0", "-1", "'-1'", "'0.5'", "0.5", "' 1'",
			"'1 '", "'0x1'", "'1e0'", "'+1'", "'1.0'", "'01'", "''", "'inf'", "1 / 0", "'1\\0'", "1e300",
			"'9223372036854775808'", "nil", "{}", "true"} {
			for j, command := range []string{
				"redis.pcall('ZUNION', COUNT, 'victim')",
				"redis.pcall('ZINTER', COUNT, KEYS[1], 'victim')",
				"redis.pcall('ZDIFF', COUNT, 'victim')",
				"redis.pcall('ZINTERCARD', COUNT, 'victim')",
				"redis.pcall('SINTERCARD', COUNT, 'victim')",
				"redis.pcall('LMPOP', COUNT, 'victim', 'LEFT')",
				"redis.pcall('ZMPOP', COUNT, 'victim', 'MIN')",
				"redis.pcall('ZUNIONSTORE', KEYS[1], COUNT, 'victim')",
				"redis.pcall('ZINTERSTORE', KEYS[1], COUNT, 'victim')",
				"redis.pcall('ZDIFFSTORE', KEYS[1], COUNT, 'victim')",
			} {
				if (i+j)%longtest.Of(1, 4) != 0 {
					continue // test each number with some commands, and each command with some numbers
				}
				source := strings.Replace(command, "COUNT", count, 1)
				wantError(t, s, setup{source: source}, ", whose number of keys is ")
			}
		}
		if s.Kind == redis.KindEmbedded { // it has none of these commands
			return
		}
		want(t, s, setup{source: `redis.call('ZADD', KEYS[1], 1, 'a')
redis.call('ZADD', KEYS[1] .. 2, 2, 'a', 3, 'b')
return {redis.call('ZUNION', 2, KEYS[1], KEYS[1] .. 2, 'WEIGHTS', 1, 2),
  redis.call('ZUNIONSTORE', KEYS[1] .. 3, '2', KEYS[1], KEYS[1] .. 2)}`}, `[["a", "b"], 2]`, at(0, "k"))
		wantError(t, s, setup{source: "redis.pcall('ZUNION', 999999, KEYS[1], 'victim')"}, "the script touches the key")
	})
}

// Commands whose replies depend on random numbers of the server are refused, because they would differ between runs.
func TestWhatServersDrawIsRefused(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		for _, command := range []string{"'SRANDMEMBER', KEYS[1]", "'srandmember', KEYS[1], 2", "'HRANDFIELD', KEYS[1]",
			"'ZRANDMEMBER', KEYS[1], 1", "'SPOP', KEYS[1]", "'Spop', KEYS[1], 5", "'SPOP'"} {
			for _, call := range []string{"redis.call(COMMAND)", "redis.pcall(COMMAND)", "pcall(redis.call, COMMAND)"} {
				source := strings.Replace(call, "COMMAND", command, 1) + " return 1"
				wantError(t, s, setup{source: source, foreign: true}, "math.random is the same on every run")
			}
		}
		wantError(t, s, setup{source: "redis.pcall('RANDOMKEY') return 1"}, `does not know the command "RANDOMKEY"`)
	})
}

// Large sets and hashes have the order of a hash table, whose seed Redis draws at its start. The test starts several
// new servers, which must reply equally.
func TestLargeKeysAnswerAlikeOnEveryServer(t *testing.T) {
	source := `for i = 1, 600 do
  redis.call('HSET', KEYS[1], 'f' .. i, i)
  redis.call('SADD', KEYS[1] .. ':a', 'm' .. i)
  redis.call('SADD', KEYS[1] .. ':b', 'm' .. i * 2)
end
local a, b = KEYS[1] .. ':a', KEYS[1] .. ':b'
local all = ''
local function add(...)
  for _, text in ipairs(redis.call(...)) do all = redis.sha1hex(all .. text) end
end
add('HGETALL', KEYS[1]) add('HKEYS', KEYS[1]) add('HVALS', KEYS[1]) add('SMEMBERS', a)
add('SINTER', a, b) add('SUNION', a, b) add('SDIFF', a, b)
return all`
	answers := map[string]bool{}
	for range 2 {
		onBoth(t, func(t *testing.T, s *redis.Server) {
			out, err := replies(t, s, setup{source: source, foreign: true}, at(0, "k"))
			if err != nil {
				t.Fatal(err)
			}
			answers[out[0]] = true
		})
	}
	if len(answers) != 1 {
		t.Errorf("four servers give %d different answers", len(answers))
	}
	s := redistest.Private(t)
	fill := "for i = 1, 600 do redis.call('HSET', KEYS[1], 'f' .. i, i) redis.call('ZADD', KEYS[1] .. 2, i, i) end "
	for _, read := range []string{"redis.pcall('HSCAN', KEYS[1], 0)", "redis.pcall('ZSCAN', KEYS[1] .. 2, 0)",
		"redis.pcall('DUMP', KEYS[1])", "redis.setresp(3) redis.pcall('HGETALL', KEYS[1])"} {
		wantError(t, s, setup{source: fill + read, foreign: true}, "cannot repeat the order of")
	}
	// A small hash has the order in which it was filled, as on the deployed server.
	want(t, s, setup{source: "redis.call('HSET', KEYS[1], 'b', 1, 'a', 2) return {redis.call('HKEYS', KEYS[1]), " +
		"redis.call('HSCAN', KEYS[1], 0)[2], redis.call('HGETALL', KEYS[1])}", foreign: true},
		`[["b", "a"], ["b", "1", "a", "2"], ["b", "1", "a", "2"]]`, at(0, "k"))
}

// The addresses of tables, functions and coroutines affect no decision.
func TestPlacesInMemoryDecideNothing(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		for source, answer := range map[string]string{
			"return tostring({})":                                                                             `"table: 0x0"`,
			"return tostring(redis.call)":                                                                     `"function: 0x0"`,
			"return tostring(function() end)":                                                                 `"function: 0x0"`,
			"return tostring(coroutine.create(function() end))":                                               `"thread: 0x0"`,
			"local t = tostring return t(redis)":                                                              `"table: 0x0"`,
			"return {tostring(nil), tostring(7), tostring('x')}":                                              `["nil", "7", "x"]`,
			"return tostring(setmetatable({}, {__tostring = function() return 'mine' end}))":                  `"mine"`,
			"local n = 0 for k, v in pairs({1, 2, x = 3, [true] = 4, [2.5] = 5}) do n = n + v end return n":   "15",
			"return {next({7})}":                                                                              "[1, 7]",
			"return next({}) == nil":                                                                          "1",
			"return select('#', next({}))":                                                                    "1",
			"local t = {x = 1, y = 2} for k in pairs(t) do t[k] = nil end return next(t) == nil":              "1",
			"local m = {} local t = setmetatable({}, m) m.__index = {x = 7} return {t.x, #{getmetatable(m)}}": "[7, 0]",
			"local n = 0 table.foreach({1, 2, 3}, function(k, v) n = n + v end) return n":                     "6",
		} {
			want(t, s, setup{source: source, foreign: true}, answer, at(0, "k"))
		}
		for _, source := range []string{"setmetatable({}, {__mode = 'k'})", "local m = {} m.__mode = 'v'",
			"setmetatable({}, {['__' .. 'mode'] = 'k'})",
			"local m = {} setmetatable({}, m) m['__' .. 'mode'] = 'k'",
			"local m = {} setmetatable({}, m) rawset(m, '__' .. 'mode', 'k')"} {
			wantError(t, s, setup{source: source, foreign: true}, "a weak table holds")
		}
		for _, source := range []string{"local m = setmetatable({}, {}) setmetatable({}, m)",
			"local m = {} setmetatable({}, m) setmetatable(m, nil) m['__' .. 'mode'] = 'k'",
			"local m = {} setmetatable(m, m)"} {
			wantError(t, s, setup{source: source, foreign: true}, "a metatable that has one itself")
		}
		wantError(t, s, setup{source: "pairs(nil)", foreign: true}, "bad argument #1 to")
		wantError(t, s, setup{source: "return string.format('%s', {})", foreign: true}, "string expected, got table")
		wantError(t, s, setup{source: "return ('%p'):format(redis.call)", foreign: true}, "invalid option '%p'")
	})
}

// The order of a table whose keys are tables depends on their addresses, so it is refused.
func TestOrderByPlacesIsRefused(t *testing.T) {
	s := redistest.Private(t)
	for _, source := range []string{
		"return next({[{}] = 1})",
		"for k in pairs({[function() end] = 1}) do return 1 end",
		"for k in pairs({a = 1, [coroutine.create(function() end)] = 1}) do end return 1",
		"pcall(function() for k in pairs({[{}] = 1}) do end end) return 1",
		"local all = pairs for k in all({[redis] = 1}) do end return 1",
		"local f, t = pairs({[{}] = 1}) pcall(f, t) return 1",
		"table.foreach({[{}] = 1}, function() end) return 1",
		"local t = table t.foreach({[{}] = 1}, function() end) return 1",
		"return #cmsgpack.pack(1, {x = {[{}] = 1}})",
	} {
		const text = "cannot repeat the order of a table of which a key is a"
		wantError(t, s, setup{source: source, foreign: true}, text)
		if !strings.Contains(source, "cmsgpack") {
			wantError(t, redistest.Embedded(t), setup{source: source, foreign: true}, text)
		}
	}
}

// Servers in C compare options up to a byte 0, so options with a control byte are refused. A value, a member and a
// pattern may contain any byte.
func TestOptionsWithAControlByteAreRefused(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		for _, command := range []string{
			`'SET', K, 'v', 'PX\0', 8000000000000`, `'SET', K, 'v', 'NX', 'ex\0x', 10`, `'SET', K, 'v', 'KEEPTTL\0'`,
			`'SET', K, 'v', 'PX', '10\0'`, `'GETEX', K, 'PXAT\0', 8000000000000`, `'GETEX', K, 'PERSIST\n'`,
			`'EXPIRE', K, 10, 'NX\0'`, `'pexpireat', K, 10, 'gt\0'`, `'COPY', K, K .. 2, 'DB\0', 1`,
			`'COPY', K, K .. 2, 'REPLACE\0'`, `'ZADD', K, 'NX\0', 1, 'm'`, `'ZADD', K, 'GT', 'CH\0', '1', 'm'`,
			`'zadd', K, 'INCR\0', 'inf', 'm'`, `'GEOADD', K, 'XX\0', 1, 1, 'm'`, `'ZRANGE', K, 0, -1, 'REV\0'`,
			`'ZRANGEBYSCORE', K, 0, 1, 'WITHSCORES\0'`, `'ZREVRANGEBYLEX', K, '+', '-', 'LIMIT\0', 0, 1`,
			`'ZRANGESTORE', K .. 2, K, 0, -1, 'BYSCORE\0'`, `'BITOP', 'AND\0', K, K`, `'LPOS', K, 'v', 'RANK\0', 1`,
			`'SSCAN', K, 0, 'COUNT\0', 10`, `'BITCOUNT', K, 0, 1, 'BIT\0'`, `'BITPOS', K, 1, 0, 1, 'BYTE\0'`,
			`'GEODIST', K, 'a', 'b', 'km\0'`, `'LINSERT', K, 'BEFORE\0', 'p', 'v'`, `'LMOVE', K, K, 'LEFT\0', 'RIGHT'`,
			`'LMPOP', 1, K, 'LEFT\0'`, `'ZMPOP', 1, K, 'MIN', 'COUNT\0', 1`, `'ZUNION', 1, K, 'WEIGHTS\0', 1`,
			`'ZINTERSTORE', K .. 2, 1, K, 'AGGREGATE', 'MAX\0'`, `'SINTERCARD', 1, K, 'LIMIT\0', 1`,
			`'GEOSEARCH', K, 'FROMMEMBER\0', 'm', 'BYRADIUS', 1, 'km'`, `'ZRANK', K, 'm', 'WITHSCORE\0'`,
			`'BITFIELD_RO', K, 'GET\0', 'u8', 0`,
		} {
			source := "local K = KEYS[1] redis.pcall(" + command + ") return 1"
			wantError(t, s, setup{source: source, foreign: true}, "; no option has one below a space")
		}
		for _, name := range []string{`GET\0`, `\0GET`, `COPY\0`, `EVAL\0`, `SET\n`} {
			source := "redis.pcall('" + name + "', KEYS[1], 'v') return 1"
			wantError(t, s, setup{source: source, foreign: true}, "does not know the command")
		}
		if s.Kind == redis.KindEmbedded { // it refuses some of these commands
			return
		}
		want(t, s, setup{source: `local k, x = KEYS[1], 'PX\0'
redis.call('SET', k, x) redis.call('SET', k, x, 'PX', 100) redis.call('HSET', k .. 'h', x, 'NX\0')
redis.call('ZADD', k .. 'z', 'NX', 1, 'NX\0', 2, x) redis.call('SADD', k .. 's', x, 'v')
redis.call('RPUSH', k .. 'l', x) redis.call('LINSERT', k .. 'l', 'BEFORE', x, 'NX\0')
redis.call('SMOVE', k .. 's', k .. 't', x)
return {redis.call('GET', k) == x, redis.call('ZSCORE', k .. 'z', x), #redis.call('ZRANGEBYLEX', k .. 'z', '-', '[' .. x),
  redis.call('LPOS', k .. 'l', x), redis.call('SISMEMBER', k .. 't', x), #redis.call('HSCAN', k .. 'h', 0, 'MATCH', x)[2]}`,
			foreign: true}, `[1, "2", 2, 1, 1, 2]`, at(0, "k"))
	})
}

// A script must not be able to distinguish the server of its trial from the given server. Otherwise it could be
// harmless only on trial.
func TestWhatDiffersBetweenServersIsRefused(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		for source, name := range map[string]string{
			"return redis.acl_check_cmd('PING') and 1 or 0":                  "acl_check_cmd",
			"if redis.acl_check_cmd then return 1 end return 0":              "acl_check_cmd",
			"return redis.REDIS_VERSION":                                     "REDIS_VERSION",
			"return redis.REDIS_VERSION_NUM":                                 "REDIS_VERSION_NUM",
			"local r = redis return r['REDIS_' .. 'VERSION']":                "REDIS_VERSION",
			"return redis['VALKEY_' .. 'VERSION']":                           "VALKEY_VERSION",
			"return server.SERVER_NAME":                                      "SERVER_NAME",
			"return rawget(redis, 'REDIS_VERSION')":                          "REDIS_VERSION",
			"local get = rawget return get(redis, 'SERVER_VERSION')":         "SERVER_VERSION",
			"pcall(function() return redis.REDIS_VERSION end) return 1":      "REDIS_VERSION",
			"setmetatable({}, {__index = redis}).acl_check_cmd('x')":         "acl_check_cmd",
			"return pcall(redis.acl_check_cmd, 'FLUSHALL') and 1":            "acl_check_cmd",
			"return setmetatable({}, {__index = redis}).REDIS_VERSION_NUM":   "REDIS_VERSION_NUM",
			"local all = {} all[1] = redis return all[1].VALKEY_VERSION_NUM": "VALKEY_VERSION_NUM",
		} {
			wantError(t, s, setup{source: source, foreign: true},
				"does not know redis."+name+", which differs between servers")
		}
		for source, answer := range map[string]string{
			"for name in pairs(redis) do if string.find(name, 'VERSION') then return name end end return 0":     "0",
			"local n = next for name in n, redis do if string.find(name, 'acl') then return 1 end end return 0": "0",
			"return getmetatable(redis) == nil":                                           "1",
			"return redis.unknown == nil":                                                 "1",
			"return {redis.LOG_WARNING, redis.REPL_ALL}":                                  "[3, 3]",
			"local t = {x = 7} return {rawget(t, 'x'), pcall(rawget, 1, 'x') and 1 or 0}": "[7, 0]",
		} {
			want(t, s, setup{source: source, foreign: true}, answer, at(0, "k"))
		}
	})
}

// On a given server, only the wrapper can end a script that loops after a write.
func TestLoopsEndOnAGivenServer(t *testing.T) {
	s := redistest.Private(t)
	for i, source := range []string{
		"while true do end",
		"repeat until false",
		"for i = 1, math.huge do end",
		"for i in function() return 1 end do end",
		"local function f() return f() end return f()",
		"local tick = function() end while true do tick() end",
		"while true do pcall(function() while true do end end) end",
		"local function f() pcall(f) pcall(f) end f()",
		"while true do coroutine.resume(coroutine.create(function() while true do end end)) end",
		"table.sort({1, 2, 3}, function() while true do end end)",
		"local s = ('x'):gsub('x', function() for i = 1, 1e15 do local x = i end end)",
	} {
		if i%longtest.Of(1, 4) != 0 {
			continue
		}
		source = "redis.call('INCR', KEYS[1])\n" + source
		wantError(t, s, setup{source: source, foreign: true, given: true}, "the script loops")
	}
	init := setup{source: "return 1", init: "while true do end", foreign: true, given: true}
	wantError(t, s, init, "the script loops")
	want(t, s, setup{source: `local sum = 0
for i = 1, 3 do do sum = sum + i end end
local add = function(x) (function(y) sum = sum + y end)(x) end
repeat add(1) until sum > 9
while sum < 20 do sum = sum + 1 end
return sum`, foreign: true, given: true}, "20", at(0, "k"))
}

// The depth of nested coroutines has the same limit on all servers. A script can continue after this error.
func TestCoroutinesAreBounded(t *testing.T) {
	const resumes = `local n = 0
local function f()
  n = n + 1
  local ok, answer = coroutine.resume(coroutine.create(f))
  return answer
end
return {f(), n}`
	onBoth(t, func(t *testing.T, s *redis.Server) {
		want(t, s, setup{source: resumes}, `["C stack overflow", 199]`, at(0, "k"))
		wraps := "local function f() return coroutine.wrap(f)() end "
		want(t, s, setup{source: wraps + "return pcall(f) and 1 or 0"}, "0\n0", at(0, "k"), at(1, "k"))
		wantError(t, s, setup{source: wraps + "return f()"}, "user_script:1: ")
		want(t, s, setup{source: `local all, sum = {}, 0
for i = 1, 300 do
  all[i] = coroutine.wrap(function(a) local b = coroutine.yield(i) sum = sum + a + b end)
end
for i = 1, 300 do sum = sum + all[i](1) end
for i = 1, 300 do all[i](1) end
return sum`}, "45750", at(0, "k"))
	})
}
