-- What stands before each generated program: it tells each value, numbers to the last bit.
local told, n, plain = {}, 0, tostring
local function tostring(...) return (string.gsub(plain(...), '0x%x%x%x%x%x%x%x%x%x%x%x%x', '')) end
local function show(v, depth)
  local kind = type(v)
  if kind == 'number' then return string.format('%.17g', v) end
  if kind == 'string' or kind == 'boolean' or kind == 'nil' then return kind .. ' ' .. tostring(v) end
  if kind ~= 'table' or depth > 3 then return kind end
  local names = {}
  for name in pairs(v) do if type(name) == 'string' and name ~= 'ignore_error_stats_update' then
    names[#names + 1] = name
  end end
  table.sort(names)
  local parts = {}
  for i = 1, #v do parts[#parts + 1] = show(v[i], depth + 1) end
  for _, name in ipairs(names) do parts[#parts + 1] = name .. '=' .. show(v[name], depth + 1) end
  return '{' .. table.concat(parts, ' ') .. '}'
end
local function tell(...)
  if n > 200 then return end
  for i = 1, select('#', ...) do n = n + 1 told[n] = show((select(i, ...)), 0) end
end
local spent = 0
local function spend() spent = spent + 1 if spent > 60 then error('spent', 0) end end
local function int(x) -- the versions of Redis write other numbers in different ways
  if type(x) ~= 'number' or x - x ~= 0 then return 7 end
  return math.floor(x) % 100000 + 0
end
local function clip(x) -- keeps a loop from making a text or a table twice as large each time
  if type(x) == 'string' and #x > 200 then return 'long' end
  for _, v in pairs(type(x) == 'table' and x or {}) do if type(v) == 'table' then return 'deep' end end
  return x
end
local function clips(x, y) return clip(x), clip(y) end
local function key(x) -- a table stands among others by its address
  if type(x) == 'table' or type(x) == 'function' then return 'address' end
  return x
end
local function try(...)
  local ok, a, b = pcall(...)
  if ok then return ok, a, b end
  return ok, a
end
-- answer tells what a command answers. An error of Redis 7 has fields besides its text, Valkey does not name Redis there,
-- and Redis draws the order of sets.
local function answer(name, v)
  if type(v) == 'table' and v.err then v = 'error ' .. v.err:gsub('Redis ', '')
  elseif ('SMEMBERS SINTER SUNION SDIFF'):find(name:upper(), 1, true) then table.sort(v) end
  tell(v)
end
-- look tells all of a key: its type, its value and about how long it lives.
local function look(key)
  local kind, ttl = redis.call('TYPE', key).ok, redis.call('PTTL', key)
  if ttl > 0 then ttl = ttl > 1e11 and 'far' or math.floor(ttl / 1e6 + 0.5) end
  local value = kind == 'string' and redis.call('GET', key) or kind == 'hash' and redis.call('HGETALL', key)
    or kind == 'list' and redis.call('LRANGE', key, 0, -1) or kind == 'set' and redis.call('SMEMBERS', key)
    or kind == 'zset' and redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
  if kind == 'set' then table.sort(value) end
  tell(kind, value, ttl)
end
local ok, problem = pcall(function(...)
