-- The virtual clock, written around one script's body; wrap.go joins the parts. It follows the body, so that
-- the body's errors keep the line numbers of the author's file.
--
-- Deadlines are kept by the server itself: virtual millisecond v is the real expiry v + offset, where offset
-- puts every deadline of the run into the real future. RENAME, COPY, SET, an emptied list and whatever else
-- moves or drops a TTL then do so by the server's own rules, and this file only has to (1) translate times on
-- the way in and out and (2) bury a key whose virtual deadline has passed before a command sees it.
--
-- Note: a table of deadlines beside the keys was tried first. It saves the real EXPIRE, and has to repeat
-- every rule by which Redis forgets one.

local real, A = ratelab_redis, ratelab_args
local raw = real.call
local offset = tonumber(A[1])   -- real expiry (ms) of virtual time 0
local keep = tonumber(A[2])     -- real expiry (ms) of keys without a deadline, on a server that is not ours
local any_key = A[3] ~= ''      -- whether keys that are not among KEYS may be touched
local no_writes, draws = false, false
--[[flags]]
local floor, huge, format = math.floor, math.huge, string.format
local upper, sub, byte, match = string.upper, string.sub, string.byte, string.match
local now, now_s = 0, '0'       -- the virtual time of this arrival in µs, as number and as string
local calls = 0
local dies = {}                 -- key -> last µs at which it is alive, as far as this batch has looked
local look = {}                 -- keys that may be new, or may have lost their deadline: reported at the end

local function fail(text) error({err = text}, 0) end

-- given reports whether the script may touch key: one of its KEYS, or one of them with a suffix.
local function given(key)
  if any_key then return true end
  for i = 1, #KEYS do
    local k = KEYS[i]
    if sub(key, 1, #k) == k then return true end
  end
  return false
end

-- fetch asks the server for key's deadline.
local function fetch(key)
  if not given(key) then
    fail('VTKEY the script touches the key "' .. key .. '", which is neither in KEYS nor begins with one of them')
  end
  local at = raw('PEXPIRETIME', key)
  local last = huge
  if at == -2 then look[key] = true
  elseif at ~= -1 and at ~= keep then last = (at - offset) * 1000 + 999 end
  dies[key] = last
  return last
end

local function bury(key)
  raw('DEL', key)
  dies[key], look[key] = huge, true
end

-- touch makes the server show key as it is at this virtual instant, and returns its name as a string.
local function touch(key)
  if type(key) == 'number' then key = format('%.17g', key) end
  if type(key) ~= 'string' then fail('ERR wrong number of arguments, or a key that is neither a string nor a number') end
  if now > (dies[key] or fetch(key)) then bury(key) end
  return key
end

-- forget makes the next touch ask the server again: the key may be gone, or under another deadline.
local function forget(key) dies[key], look[key] = nil, true end

-- whole reads a TTL argument as strictly as Redis does: nil where Redis would refuse it.
local whole_memo = {}
local function whole(v)
  if type(v) == 'number' then
    if v == floor(v) and v > -1e15 and v < 1e15 then return v end
    return nil
  end
  local n = whole_memo[v]
  if n == nil then
    n = false
    if type(v) == 'string' and #v < 17 and (v == '0' or match(v, '^%-?[1-9]%d*$')) then n = tonumber(v) end
    whole_memo[v] = n
  end
  return n or nil
end

-- due turns a TTL argument into a virtual deadline in ms; nil where Redis would answer with an error.
local function due(unit, absolute, v)
  v = whole(v)
  if not v then return nil end
  v = v * unit
  if not absolute then v = v + floor(now / 1000) end
  if v > 4e14 or v < -4e14 then return nil end
  return v
end

local function stamp(ms) return format('%.0f', ms + offset) end

local H = {}

-- one: a command on one key that neither drops nor sets a deadline.
local function one(cmd, key, ...)
  local last = dies[key]
  if not last or now > last then key = touch(key) end
  return raw(cmd, key, ...)
end

-- drop: a command on one key after which the key may be gone, or may have lost its deadline.
local function drop(cmd, key, ...)
  key = touch(key)
  forget(key)
  return raw(cmd, key, ...)
end

-- several: a command whose keys stand at first, first+step … up to count (nil: to the end). Where it may move,
-- drop or overwrite them (writes), they are looked at again afterwards.
local function several(writes, first, step, count)
  return function(cmd, ...)
    local a, n = {...}, select('#', ...)
    local last = n
    if count == 'numkeys' then last = first + (tonumber(a[first - 1]) or 0) - 1
    elseif count then last = first + (count - 1) * step end
    for i = first, math.min(last, n), step do
      a[i] = touch(a[i])
      if writes then forget(a[i]) end
    end
    return raw(cmd, unpack(a, 1, n))
  end
end

-- store: like several, with the destination first and the number of source keys after it.
local function store(cmd, destination, ...)
  destination = touch(destination)
  forget(destination)
  local a, n = {...}, select('#', ...)
  for i = 2, math.min(1 + (tonumber(a[1]) or 0), n) do a[i] = touch(a[i]) end
  return raw(cmd, destination, unpack(a, 1, n))
end

local function refuse_write() fail('ERR Write commands are not allowed from read-only scripts.') end

local function reads(names, handler)
  for name in string.gmatch(names, '%S+') do H[name] = handler end
end

local function writes(names, handler)
  reads(names, no_writes and refuse_write or handler)
end

reads([[GET STRLEN GETRANGE SUBSTR GETBIT BITCOUNT BITPOS BITFIELD_RO TYPE DUMP
  HGET HMGET HGETALL HKEYS HVALS HLEN HSTRLEN HEXISTS HSCAN HRANDFIELD LLEN LINDEX LRANGE LPOS
  SCARD SISMEMBER SMISMEMBER SMEMBERS SRANDMEMBER SSCAN ZCARD ZCOUNT ZLEXCOUNT ZSCORE ZMSCORE ZRANK ZREVRANK
  ZRANGE ZREVRANGE ZRANGEBYSCORE ZREVRANGEBYSCORE ZRANGEBYLEX ZREVRANGEBYLEX ZRANDMEMBER ZSCAN
  GEODIST GEOHASH GEOPOS GEOSEARCH]], one)
writes([[SETBIT SETRANGE APPEND BITFIELD INCR DECR INCRBY DECRBY INCRBYFLOAT SETNX
  HSET HMSET HSETNX HINCRBY HINCRBYFLOAT LPUSH RPUSH LPUSHX RPUSHX LSET LINSERT
  SADD ZADD ZINCRBY PFADD GEOADD]], one)
writes([[GETSET GETDEL LPOP RPOP LREM LTRIM SPOP SREM HDEL ZREM ZREMRANGEBYSCORE ZREMRANGEBYRANK ZREMRANGEBYLEX
  ZPOPMIN ZPOPMAX]], drop)
reads('EXISTS TOUCH MGET SINTER SUNION SDIFF PFCOUNT', several(false, 1, 1))
writes('DEL UNLINK SINTERSTORE SUNIONSTORE SDIFFSTORE PFMERGE', several(true, 1, 1))
writes('MSET MSETNX', several(true, 1, 2))
writes('RENAME RENAMENX COPY SMOVE RPOPLPUSH LMOVE ZRANGESTORE GEOSEARCHSTORE', several(true, 1, 1, 2))
reads('ZUNION ZINTER ZDIFF SINTERCARD ZINTERCARD', several(false, 2, 1, 'numkeys'))
writes('LMPOP ZMPOP', several(true, 2, 1, 'numkeys'))
writes('ZUNIONSTORE ZINTERSTORE ZDIFFSTORE', store)
writes('BITOP', several(true, 2, 1))

local function time()
  local cut = #now_s - 6
  local usec = sub(now_s, cut + 1)
  if byte(usec) == 48 then usec = match(usec, '^0*(%d+)$') end
  return {sub(now_s, 1, cut), usec}
end

local units = {EX = 1000, PX = 1, EXAT = 1000, PXAT = 1}

-- set_options rewrites the TTL option among SET's or GETEX's arguments, or leaves them for the server to refuse.
local function set_options(cmd, key, a, n, from)
  for i = from, n do
    local name = type(a[i]) == 'string' and upper(a[i])
    local unit = units[name]
    if unit and i < n then
      local v = whole(a[i + 1])
      local at = v and v > 0 and due(unit, #name == 4, a[i + 1])
      if not at then break end
      a[i], a[i + 1] = 'PXAT', stamp(at)
      break
    end
  end
  dies[key], look[key] = nil, true
  return raw(cmd, key, unpack(a, 1, n))
end

local function set(cmd, key, value, option, ttl, ...)
  local last = dies[key]
  if not last or now > last then key = touch(key) end
  if ttl and select('#', ...) == 0 and (option == 'PX' or option == 'EX') then
    local at = due(units[option], false, ttl)
    if at and at * 1000 > now then
      dies[key] = at * 1000 + 999
      return raw('SET', key, value, 'PXAT', stamp(at))
    end
  end
  if value == nil then return raw(cmd, key) end
  if option == nil then return set_options(cmd, key, {value}, 1, 2) end
  if ttl == nil then return set_options(cmd, key, {value, option}, 2, 2) end
  return set_options(cmd, key, {value, option, ttl, ...}, 3 + select('#', ...), 2)
end

local function getex(cmd, key, ...)
  key = touch(key)
  return set_options(cmd, key, {...}, select('#', ...), 1)
end

local function setex(unit)
  return function(cmd, key, ttl, value, ...)
    key = touch(key)
    local v = whole(ttl)
    local at = v and v > 0 and due(unit, false, ttl)
    if not at or value == nil or select('#', ...) > 0 then
      return raw(cmd, key, ttl, value, ...)
    end
    dies[key] = at * 1000 + 999
    return raw('SET', key, value, 'PXAT', stamp(at))
  end
end

-- expire: the conditions are decided here, because on a shared server keys without a deadline have a real one.
local function expire(unit, absolute)
  return function(cmd, key, ttl, flag, ...)
    key = touch(key)
    local at = due(unit, absolute, ttl)
    if not at or select('#', ...) > 0 then return raw(cmd, key, ttl, flag, ...) end
    if raw('EXISTS', key) == 0 then return 0 end
    if flag then
      local last = dies[key] or fetch(key)
      local f, new = upper(flag), at * 1000 + 999
      if f == 'NX' then if last ~= huge then return 0 end
      elseif f == 'XX' then if last == huge then return 0 end
      elseif f == 'GT' then if new <= last then return 0 end
      elseif f == 'LT' then if new >= last then return 0 end
      else return raw(cmd, key, ttl, flag) end
    end
    if at * 1000 <= now then bury(key) return 1 end
    dies[key] = at * 1000 + 999
    return raw('PEXPIREAT', key, stamp(at))
  end
end

local function persist(cmd, key, ...)
  key = touch(key)
  if select('#', ...) > 0 then return raw(cmd, key, ...) end
  if (dies[key] or fetch(key)) == huge then return 0 end
  dies[key], look[key] = huge, true
  return raw('PERSIST', key)
end

-- ttl: answers from the deadline; of a key without one the server says whether it is there.
local function ttl(answer)
  return function(cmd, key, ...)
    key = touch(key)
    if select('#', ...) > 0 then return raw(cmd, key, ...) end
    local last = dies[key] or fetch(key)
    if last == huge then return raw('EXISTS', key) - 2 end
    return answer((last - 999) / 1000, floor(now / 1000))
  end
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
reads('PTTL', ttl(function(at, ms) return at - ms end))
reads('TTL', ttl(function(at, ms) return floor((at - ms + 500) / 1000) end))
reads('PEXPIRETIME', ttl(function(at) return at end))
reads('EXPIRETIME', ttl(function(at) return floor((at + 500) / 1000) end))

-- Any other spelling of a known command is learnt; any other command is refused by its name.
setmetatable(H, {__index = function(t, cmd)
  if type(cmd) ~= 'string' then return raw end
  local h = rawget(t, upper(cmd))
  if not h then fail('VTCMD virtual time does not know the command "' .. cmd .. '"') end
  t[cmd] = h
  return h
end})

-- What the body sees under the names redis and math.

local function call(cmd, ...)
  calls = calls + 1
  return H[cmd](cmd, ...)
end

local shadow = {call = call, sha1hex = real.sha1hex, error_reply = real.error_reply, status_reply = real.status_reply}
function shadow.pcall(...)
  local ok, reply = pcall(call, ...)
  if ok or type(reply) == 'table' then return reply end
  return {err = tostring(reply)}
end
function shadow.setresp(version) return real.setresp(version) end
function shadow.log() end
function shadow.set_repl() end
function shadow.replicate_commands() return true end
for _, name in ipairs({'LOG_DEBUG', 'LOG_VERBOSE', 'LOG_NOTICE', 'LOG_WARNING', 'REPL_ALL', 'REPL_AOF', 'REPL_SLAVE',
    'REPL_REPLICA', 'REPL_NONE', 'REDIS_VERSION', 'REDIS_VERSION_NUM'}) do
  shadow[name] = real[name]
end

-- random: Park and Miller's minimal standard generator, seeded by the arrival's time, because the servers differ
-- in whether and how they seed theirs.
local seed = 1
local function random(low, high)
  seed = seed * 16807 % 2147483647
  local r = (seed - 1) / 2147483646
  if not low then return r end
  if not high then low, high = 1, low end
  return low + floor(r * (high - low + 1))
end
if draws then
  local plain = math
  math = setmetatable({random = random, randomseed = function(x) seed = floor(x) % 2147483646 + 1 end}, {__index = plain})
end

-- The batch. A[4] has a 1 for each element of KEYS and ARGV that travels with its arrival and a 0 for one that
-- holds for the whole batch. Those follow, and then the arrivals: the time in µs, and what travels. An empty time
-- announces a call of the init script, with all of its elements.
local out, n, p, count = {}, 0, 5, #A
--[[slots]]
--[[once]]
redis, server = shadow, shadow

local function run()
  while p <= count do
    local answer
    now_s = A[p]
    p = p + 1
    if now_s == '' then
      now_s = A[p]
      now = tonumber(now_s)
      p = p + 1
      --[[init]]
      if type(answer) == 'table' and answer.err then error(answer, 0) end
    else
      now = tonumber(now_s)
      --[[assign]]
      if draws then seed = now % 2147483646 + 1 end
      answer = ratelab_body()
      n = n + 1
      if answer == nil then answer = false end
      out[n] = answer
    end
    --[[after]]
  end
end

-- One pcall around the batch instead of one around each arrival: an error still belongs to its arrival, and the
-- answers before it are kept. (Measured: a pcall for each arrival costs a tenth.)
local ok, problem = pcall(run)
--[[after]]
local changed = {}
for key in pairs(look) do
  local at = raw('PEXPIRETIME', key)
  if at == -1 and keep then raw('PEXPIREAT', key, format('%.0f', keep)) end
  if at ~= -2 then
    changed[#changed + 1] = key
    changed[#changed + 1] = (at == -1 or at == keep) and '' or format('%.0f', at - offset)
  end
end
if ok then return {out, calls, changed} end
if type(problem) == 'table' then problem = problem.err end
return {out, calls, changed, tostring(problem)}
