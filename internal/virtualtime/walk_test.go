package virtualtime_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	_ "ratelab/internal/engine"
	"ratelab/internal/limit"
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
	"ratelab/internal/resp"
	"ratelab/internal/virtualtime"
)

// walker is a script that visits all values that a script can reach: the values of all permitted names, their elements,
// their metatables, and the results of their functions. With each function, it tries in several ways to write a foreign
// key and to read the time. It counts the functions, and records if it gets the real time.
const walker = `
local seen, functions, real = {}, 0, {}
for name in string.gmatch('SKIPPED', '%w+') do seen[math[name] or table[name] or string[name]] = true end
local frontier = {redis, server, KEYS, ARGV, math, string, table, coroutine, cjson, EXTRA,
  assert, error, getmetatable, ipairs, next, pairs, pcall, rawequal, rawget, rawset, select, setmetatable, tonumber, tostring,
  type, unpack, xpcall, function() end}
local function tell(answer)
  if type(answer) == 'table' and tonumber(rawget(answer, 1)) and tonumber(answer[1]) > 1704067300 then real[#real + 1] = 'TIME' end
end
local function try(f)
  for _, args in ipairs({{'SET', 'foreign', 'x'}, {'TIME'}, {redis, 'SET', 'foreign', 'x'}, {'return redis.call("SET", "foreign", 1)'},
      {f, 'SET', 'foreign', 'x'}, {redis.call, 'SET', 'foreign', 'x'}, {{}}, {''}, {1}, {print}, {function() return 'SET' end}, {}}) do
    local answers = {pcall(f, unpack(args))}
    for i = 2, 4 do
      tell(answers[i])
      frontier[#frontier + 1] = answers[i]
    end
  end
end
local i = 0
while i < #frontier and i < 20000 do
  i = i + 1
  local it = frontier[i]
  local kind = type(it)
  if (kind == 'table' or kind == 'function' or kind == 'userdata' or kind == 'thread') and not seen[it] then
    seen[it] = true
    if kind == 'function' then
      functions = functions + 1
      try(it)
    elseif kind == 'table' then
      local ok, name, value = pcall(next, it)
      while ok and name ~= nil do
        frontier[#frontier + 1] = name
        frontier[#frontier + 1] = value
        ok, name, value = pcall(next, it, name)
      end
    end
    local ok, meta = pcall(getmetatable, it)
    if ok then frontier[#frontier + 1] = meta end
  end
end
redis.call('SET', KEYS[1], functions .. ' functions, real: ' .. table.concat(real, ','))
`

// On all kinds of servers, walker writes no foreign key and reads no real clock. The run is refused at the end, because
// walker writes to the replaced tables. Its result is in its own key.
func TestNothingThatAScriptCanReachIsUnsteered(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s *redis.Server) {
		extra, skipped := "bit, struct, cmsgpack", ""
		if s.Kind == redis.KindEmbedded { // the embedded server ends a script that calls one of these
			extra = "bit"
			skipped = "exp log log10 sin cos tan asin acos atan sinh cosh tanh atan2 pow foreach foreachi dump"
		}
		source := strings.NewReplacer("EXTRA", extra, "{print}", "{type}", "SKIPPED", skipped).Replace(walker)
		r, err := newRunner(t, s, setup{source: source, batch: 1}, func(resp.Value) {})
		if err != nil {
			t.Fatal(err)
		}
		err = r.Decide(t.Context(), three[:1], make([]limit.Decision, 1))
		var call *virtualtime.CallError
		if !errors.As(err, &call) || !strings.HasPrefix(call.Text, "virtual time ") {
			t.Errorf("the walk ends with %v, want a refusal", err)
		}
		seen := s.Client.Get(t.Context(), "a").Val()
		var functions int
		if _, err := fmt.Sscanf(seen, "%d functions, real: ", &functions); err != nil || functions < 80 ||
			!strings.HasSuffix(seen, "real: ") {
			t.Errorf("the walk saw %q (%v), want more than 80 functions and no real clock", seen, err)
		}
		if keys := s.Client.Keys(t.Context(), "*").Val(); len(keys) != 1 {
			t.Errorf("after the walk the server holds %q, want the walker's own key alone", keys)
		}
	})
}
