-- The commands that set, read or drop a deadline.

-- farthest limits how far ahead a deadline may lie, in ms (269 years). One server counts TTLs in 64-bit nanoseconds.
local farthest = 8.5e12
local function far(v) refuse('VTTTL virtual time cannot count as far as the expiry "' .. v .. '"') end

-- whole reads a TTL argument as strictly as Redis does. It returns nil if Redis would refuse the argument.
local whole_memo = {}
local function whole(v)
  if type(v) == 'number' then
    if v % 1 == 0 and v > -1e15 and v < 1e15 and v ~= 0 then return v end
    v = spelled(v)
  end
  if type(v) ~= 'string' then return nil end
  local n = whole_memo[v]
  if n == nil then
    n = false
    local digits = v == '0' and v or match(v, '^%-?([1-9]%d*)$')
    if digits and #digits <= 15 then n = tonumber(v)
    elseif digits and (#digits < 19 or #digits == 19 and digits <= '9223372036854775807') then far(v) end
    whole_memo[v] = n
  end
  return n or nil
end

-- due turns a whole TTL argument into a virtual deadline in ms.
local function due(unit, absolute, v)
  local now_ms = (now - now % 1000) / 1000
  local at = v * unit
  if not absolute then at = at + now_ms end
  if at - now_ms > farthest then far(v) end
  return at
end

local function stamp(ms) return short(ms + offset) end

-- refused runs a command that the server must refuse, so that the error is the server's own.
local function refused(cmd, ...)
  raw(cmd, ...)
  refuse('VTCMD virtual time cannot follow ' .. cmd .. ' with these arguments')
end

-- bad returns the value to send instead of v, if Redis refuses v because it is no whole number. All servers refuse the
-- returned text. Values that are neither text nor a number are refused anyway.
local function bad(v) return (type(v) == 'string' or type(v) == 'number') and '?' or v end

local units = {EX = 1000, PX = 1, EXAT = 1000, PXAT = 1}

-- option finds the expiry among the options a[from…n] of SET or GETEX. It returns the index, the unit, and whether the
-- expiry is absolute.
local function option(a, n, from)
  for i = from, n - 1 do
    local name = type(a[i]) == 'string' and upper(a[i])
    if units[name] then return i, units[name], #name == 4 end
  end
end

-- translate replaces the expiry among a's options by a real one, and returns it as a virtual deadline in ms. If the
-- value is not a positive whole number, the server refuses it.
local function translate(cmd, a, n, from)
  clean(cmd, a, from, n)
  local i, unit, absolute = option(a, n, from)
  if not i then return nil end
  local v = whole(a[i + 1])
  if not v then
    a[i + 1] = bad(a[i + 1])
  elseif v > 0 then
    local at = due(unit, absolute, v)
    a[i], a[i + 1] = 'PXAT', stamp(at)
    return at
  end
end

local function set_any(cmd, key, ...)
  local a, n = {...}, select('#', ...)
  translate(cmd, a, n, 2)
  forget(key)
  return raw(cmd, key, unpack(a, 1, n))
end

-- live sets key with a TTL of v units. It repeats the code of due, stamp and short. Each call of a Lua function takes a
-- hundredth of a decision.
local function live(key, value, unit, v)
  local ahead = v * unit
  if ahead > farthest then far(v) end
  local at = (now - now % 1000) / 1000 + ahead
  if type(value) == 'number' and value % 1 == 0 then value = short(value) end
  local reply = raw('SET', key, value, 'PXAT', quick and format('%d', at + offset) or at + offset)
  local last = at * 1000 + 999
  if last < dies[key] then look[key] = true end
  dies[key] = last
  return reply
end

local function set(cmd, key, ...)
  local last = dies[key]
  if not last or now > last or checked[key] ~= turn then key = touch(key) end
  local value, name, ttl = ...
  local unit = name == 'PX' and 1 or name == 'EX' and 1000
  if unit and select('#', ...) == 3 then
    local v = ttl
    if type(v) ~= 'number' or v % 1 ~= 0 or v >= 1e15 then v = whole(v) end
    if v and v > 0 then return live(key, value, unit, v) end
  end
  return set_any(cmd, key, ...)
end

-- getex: an absolute deadline that has passed deletes the key immediately. SET leaves this to the next touch.
local function getex(cmd, key, ...)
  key = touch(key)
  local a, n = {...}, select('#', ...)
  local at = translate(cmd, a, n, 1)
  forget(key)
  local reply = raw(cmd, key, unpack(a, 1, n))
  if reply and at and at * 1000 <= now then bury(key) end
  return reply
end

local function setex(unit)
  return function(cmd, key, ...)
    key = touch(key)
    local ttl, value = ...
    if select('#', ...) ~= 2 then return refused(cmd, key, ...) end
    local v = whole(ttl)
    if not v then return refused(cmd, key, bad(ttl), value) end
    if v <= 0 then return refused(cmd, key, ttl, value) end
    return live(key, value, unit, v)
  end
end

-- conditions reads NX, XX, GT and LT, from the second argument on, into a set. It returns nil if Redis would refuse one
-- of them or their combination.
local function conditions(cmd, ...)
  local set = {}
  clean(cmd, {...}, 2, select('#', ...))
  for i = 2, select('#', ...) do
    local name = select(i, ...)
    name = type(name) == 'string' and upper(name)
    if name ~= 'NX' and name ~= 'XX' and name ~= 'GT' and name ~= 'LT' then return nil end
    set[name] = true
  end
  if set.NX and (set.XX or set.GT or set.LT) or set.GT and set.LT then return nil end
  return set
end

-- meets reports whether the conditions permit to replace a deadline. last and new are the last µs at which the key is
-- alive, before and after.
local function meets(set, last, new)
  if set.NX and last ~= huge or set.XX and last == huge then return false end
  if set.GT and new <= last or set.LT and new >= last then return false end
  return true
end

-- expire evaluates the conditions itself, because on a shared server keys without a virtual deadline have a real one.
local function expire(unit, absolute)
  return function(cmd, key, ...)
    key = touch(key)
    local ttl = ...
    local v, set = whole(ttl), nil
    if select('#', ...) ~= 1 then
      set = conditions(cmd, ...)
      if not set or ttl == nil then return refused(cmd, key, ...) end
    end
    if not v then return refused(cmd, key, bad(ttl), select(2, ...)) end
    local at, last = due(unit, absolute, v), dies[key]
    local new = at * 1000 + 999
    if set and not meets(set, last, new) then return 0 end
    if at * 1000 <= now then return bury(key) end
    local done = raw('PEXPIREAT', key, stamp(at))
    if done == 1 then
      if new < last then look[key] = true end
      dies[key] = new
    end
    return done
  end
end

local function persist(cmd, key, ...)
  key = touch(key)
  if select('#', ...) > 0 then return refused(cmd, key, ...) end
  if dies[key] == huge then return 0 end
  dies[key], look[key] = huge, true
  return raw('PERSIST', key)
end

-- read answers from the deadline and the time in ms. For a key without a deadline, the server says whether the key
-- exists.
local function read(answer)
  return function(cmd, key, extra)
    local last = dies[key]
    if not last or now > last or checked[key] ~= turn then
      key = touch(key)
      last = dies[key]
    end
    if extra ~= nil then return refused(cmd, key, extra) end
    if last == huge then return raw('EXISTS', key) - 2 end
    return answer((last - 999) / 1000, (now - now % 1000) / 1000)
  end
end

-- time answers as TIME does: seconds, and microseconds without leading zeros.
local function time()
  local cut = #now_s - 6
  if cut < 1 then return {'0', now_s} end
  local usec = sub(now_s, cut + 1)
  if usec < '1' then usec = match(usec, '^0*(%d+)$') end
  return {sub(now_s, 1, cut), usec}
end

reads('TIME', time)
writes('SET', set)
writes('GETEX', getex)
writes('SETEX', setex(1000))
writes('PSETEX', setex(1))
writes('EXPIRE', expire(1000, false))
writes('PEXPIRE', expire(1, false))
writes('EXPIREAT', expire(1000, true))
writes('PEXPIREAT', expire(1, true))
writes('PERSIST', persist)
reads('PTTL', read(function(at, now_ms) return at - now_ms end))
reads('TTL', read(function(at, now_ms) return floor((at - now_ms + 500) / 1000) end))
reads('PEXPIRETIME', read(function(at) return at end))
reads('EXPIRETIME', read(function(at) return floor((at + 500) / 1000) end))
