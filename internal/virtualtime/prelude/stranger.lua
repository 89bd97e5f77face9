-- Rules for users' scripts. A user's script must decide the same on every run, or it is refused.

-- drawn replaces commands that draw at random, because the server would draw differently on every run.
local function drawn(cmd)
  refuse('VTCMD virtual time cannot repeat what ' .. cmd .. ' draws; math.random is the same on every run')
end

-- shuffled reports whether key is stored in a hash table. Servers choose the order of hash tables when they start. The
-- embedded server sorts by text.
local function shuffled(key)
  local encoding = real.REDIS_VERSION and real.pcall('OBJECT', 'ENCODING', key)
  return encoding == 'hashtable' or encoding == 'skiplist'
end

-- settled sorts a reply of texts, or of pairs of texts, by text.
local function settled(cmd, all, width)
  if all.map or all.set then refuse('VTCMD virtual time cannot repeat the order of ' .. cmd .. ' in RESP3') end
  local texts, value = {}, {}
  for i = 1, #all, width do
    texts[#texts + 1] = all[i]
    value[all[i]] = all[i + 1]
  end
  sort(texts)
  if width == 1 then return texts end
  for i = 1, #texts do all[2 * i - 1], all[2 * i] = texts[i], value[texts[i]] end
  return all
end

local function members(handler)
  return function(cmd, ...) return settled(cmd, handler(cmd, ...), 1) end
end

local function fields(width)
  return function(cmd, key, ...)
    local all = one(cmd, key, ...)
    if #all ~= width and shuffled(key) then return settled(cmd, all, width) end
    return all
  end
end

local function scan(cmd, key, ...)
  local answer = one(cmd, key, ...)
  if shuffled(key) then refuse('VTCMD virtual time cannot repeat the order of ' .. cmd) end
  return answer
end

-- mine has the commands with other handlers for users' scripts.
local mine = {HGETALL = fields(2), HKEYS = fields(1), HVALS = fields(1), SMEMBERS = members(one),
  HSCAN = scan, SSCAN = scan, ZSCAN = scan, DUMP = scan}
for name in gmatch('SINTER SUNION SDIFF', '%u+') do mine[name] = members(several(false, 1, 1)) end
for name in gmatch('SRANDMEMBER HRANDFIELD ZRANDMEMBER SPOP', '%u+') do mine[name] = drawn end

-- first is the position of a command's first option, and the key has position 1. final is the position of the last
-- option. SET, GETEX, COPY, EXPIRE and commands with a number of keys check their options themselves.
local first, final = {}, {BITOP = 1, LINSERT = 2}
local function options(at, names)
  for name in gmatch(names, '%S+') do first[name] = at end
end
options(1, 'BITOP')
options(2, 'BITCOUNT BITPOS BITFIELD BITFIELD_RO GEOADD GEOSEARCH HSCAN LINSERT SSCAN ZADD ZSCAN')
options(3, 'GEOSEARCHSTORE LMOVE LPOS ZRANK ZREVRANK')
options(4, 'GEODIST ZRANGE ZREVRANGE ZRANGEBYLEX ZREVRANGEBYLEX ZRANGEBYSCORE ZREVRANGEBYSCORE')
options(5, 'ZRANGESTORE')

-- scored lists the commands with scores and members after their options.
local scored = {ZADD = true, GEOADD = true}
local function opted(name, handler)
  local from = first[name]
  return function(cmd, ...)
    local a, n = {...}, select('#', ...)
    local to = min(final[name] or n, n)
    for i = from, scored[name] and n or 0 do
      if tonumber(a[i]) then to = i - 1 break end
    end
    clean(name, a, from, to)
    return handler(cmd, ...)
  end
end
local anyones = known
known = function(cmd)
  local handler = mine[cmd] or anyones(cmd)
  return handler and first[cmd] and opted(cmd, handler) or handler
end

-- The text of a table, a function or a coroutine depends on its memory address. So does its order as a key among
-- others. Addresses differ on every run.
local placed = {table = true, ['function'] = true, thread = true, userdata = true}

-- spell is tostring with a constant address.
local function spell(...)
  local value = ...
  local text = tostring(...)
  local kind = placed[type(value)] and match(text, '^(%a+: )0x%x+$')
  return kind and kind .. '0x0' or text
end

-- onward, each and foreach are next, pairs and table.foreach.
local function onward(t, key)
  local k, value = next(t, key)
  if k == nil then return nil end
  if placed[type(k)] then
    refuse('VTCMD virtual time cannot repeat the order of a table of which a key is a ' .. type(k))
  end
  return k, value
end
local function each(t)
  pairs(t) -- Lua's own error if t is not a table
  return onward, t, nil
end
local function foreach(t, f)
  for key, value in each(t) do
    local result = f(key, value)
    if result ~= nil then return result end
  end
end

-- pack is cmsgpack.pack, which writes a table in its order.
local function walk(value, depth)
  if type(value) ~= 'table' or depth > 16 then return end -- cmsgpack writes no deeper
  for _, inner in each(value) do walk(inner, depth + 1) end
end
local function pack(...)
  for i = 1, select('#', ...) do walk((select(i, ...)), 1) end
  return cmsgpack.pack(...)
end

-- fasten is setmetatable without weak tables, because the contents of weak tables depend on the server's memory. Each
-- metatable gets a metatable itself, which checks later writes.
local function put(t, key, value)
  if key == '__mode' then refuse('VTCMD virtual time cannot repeat what a weak table holds') end
  return rawset(t, key, value)
end
local function peek(t, key)
  if t == shadow then return t[key] end
  return rawget(t, key)
end
local guard = {__newindex = put}
local function fasten(t, of)
  if type(of) == 'table' then
    if rawget(of, '__mode') ~= nil then put(of, '__mode') end
    if getmetatable(of) == nil then setmetatable(of, guard) end
  end
  if type(of) == 'table' and getmetatable(of) ~= guard or getmetatable(t) == guard then
    refuse('VTCMD virtual time does not know a metatable that has one itself')
  end
  return setmetatable(t, of)
end
local unguarded = metatable
metatable = function(of)
  local found = unguarded(of)
  if found ~= guard then return found end
end
