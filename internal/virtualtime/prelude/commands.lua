-- The commands that leave deadlines to the server. Each handler knows which arguments are keys, and which keys to look
-- at again afterwards.

local H = {} -- command -> its handler, as function(name, ...)

-- one: a command on one key that neither drops nor sets a deadline.
local function one(cmd, key, ...)
  local last = dies[key]
  if not last or now > last or checked[key] ~= turn then key = touch(key) end
  return raw(cmd, key, ...)
end

-- by: INCRBY and DECRBY. Their number is usually the same small one, so its text is cached.
local small = {}
local function by(cmd, key, ...)
  local n = ...
  if type(n) ~= 'number' or select('#', ...) ~= 1 then return one(cmd, key, ...) end
  local text = small[n]
  if not text then
    text = short(n)
    if n % 1 == 0 then small[n] = text end -- this excludes NaN
  end
  local last = dies[key]
  if not last or now > last or checked[key] ~= turn then key = touch(key) end
  return raw(cmd, key, text)
end

-- drop: a command on one key that may delete the key, or drop its deadline.
local function drop(cmd, key, ...)
  key = touch(key)
  forget(key)
  return raw(cmd, key, ...)
end

-- counted reads v as a number of keys, as strictly as the strictest server.
local function counted(cmd, v)
  local text = type(v) == 'number' and spelled(v) or v
  if type(text) ~= 'string' or #text > 6 or not match(text, '^[1-9]%d*$') then
    if type(text) ~= 'string' then text = 'a ' .. type(v) else text = '"' .. sub(text, 1, 100) .. '"' end
    refuse('VTCMD virtual time cannot follow ' .. cmd .. ', whose number of keys is ' .. text)
  end
  return tonumber(text)
end

-- clean refuses options of cmd, among a[from…to], that contain a byte below a space. Servers in C compare options up to
-- a byte 0, and would take "PX\0" for PX. The words after MATCH and FROMMEMBER are data, so they may contain such
-- bytes.
local cleaned = {}
local function clean(cmd, a, from, to)
  for i = from, to do
    local word = a[i]
    if type(word) == 'string' and not cleaned[word] then
      local low, before = find(word, '[%z\1-\31]'), a[i - 1]
      before = type(before) == 'string' and upper(before)
      if not low then cleaned[word] = true
      elseif before ~= 'MATCH' and before ~= 'FROMMEMBER' then
        refuse('VTCMD an option of ' .. cmd .. ' holds the byte ' .. byte(word, low) .. '; no option has one below a space')
      end
    end
  end
end

-- several: a command whose keys are at first, first+step … up to count (nil: to the end). If changes is true, the
-- command may move, drop or overwrite the keys, and they are looked at again afterwards.
local function several(changes, first, step, count)
  return function(cmd, ...)
    local a, n = {...}, select('#', ...)
    local last = n
    if count == 'numkeys' then last = first + counted(cmd, a[first - 1]) - 1
    elseif count then last = first + (count - 1) * step end
    if count == 'numkeys' then clean(cmd, a, last + 1, n) end
    for i = first, min(last, n), step do
      a[i] = touch(a[i])
      if changes then forget(a[i]) end
    end
    return raw(cmd, unpack(a, 1, n))
  end
end

-- store: like several, but the destination comes first, then the number of source keys.
local function store(cmd, destination, ...)
  destination = touch(destination)
  local a, n = {...}, select('#', ...)
  local last = 1 + counted(cmd, a[1])
  clean(cmd, a, last + 1, n)
  for i = 2, min(last, n) do a[i] = touch(a[i]) end
  forget(destination) -- not earlier, because it may be one of the sources
  return raw(cmd, destination, unpack(a, 1, n))
end

local move = several(true, 1, 1, 2)
local function copy(cmd, ...)
  local a = {...}
  clean(cmd, a, 3, select('#', ...))
  for i = 3, select('#', ...) do
    if type(a[i]) == 'string' and upper(a[i]) == 'DB' then
      refuse('VTCMD virtual time does not know the command "COPY … DB"')
    end
  end
  return move(cmd, ...)
end

-- The handler of a command is looked up at its first use, because a script uses few commands. Entering all names into H
-- made one EVAL a fifth slower.
local families, count = {}, 0 -- names, handler, names, handler …

local function reads(names, handler)
  families[count + 1], families[count + 2] = ' ' .. names .. ' ', handler
  count = count + 2
end

local function writes(names, handler)
  if not guarded then return reads(names, handler) end
  reads(names, function(...)
    if no_writes then fail('ERR Write commands are not allowed from read-only scripts.') end
    return handler(...)
  end)
end

-- known returns the handler of a command in capitals, or nil.
local function known(cmd)
  if find(cmd, ' ', 1, true) then return nil end
  local name = ' ' .. cmd .. ' '
  for i = 1, count, 2 do
    if find(families[i], name, 1, true) then return families[i + 1] end
  end
end

reads('GET STRLEN GETRANGE SUBSTR GETBIT BITCOUNT BITPOS BITFIELD_RO TYPE DUMP HGET HMGET HGETALL HKEYS ' ..
  'HVALS HLEN HSTRLEN HEXISTS HSCAN LLEN LINDEX LRANGE LPOS SCARD SISMEMBER SMISMEMBER ' ..
  'SMEMBERS SSCAN ZCARD ZCOUNT ZLEXCOUNT ZSCORE ZMSCORE ZRANK ZREVRANK ZRANGE ZREVRANGE ' ..
  'ZRANGEBYSCORE ZREVRANGEBYSCORE ZRANGEBYLEX ZREVRANGEBYLEX ZSCAN GEODIST GEOHASH GEOPOS ' ..
  'GEOSEARCH', one)
writes('SETBIT SETRANGE APPEND BITFIELD INCR DECR INCRBYFLOAT SETNX HSET HMSET HSETNX HINCRBY HINCRBYFLOAT ' ..
  'LPUSH RPUSH LPUSHX RPUSHX LSET LINSERT SADD ZADD ZINCRBY PFADD GEOADD', one)
writes('INCRBY DECRBY', by)
writes('GETSET GETDEL LPOP RPOP LREM LTRIM SREM HDEL ZREM ZREMRANGEBYSCORE ZREMRANGEBYRANK ' ..
  'ZREMRANGEBYLEX ZPOPMIN ZPOPMAX', drop)
reads('EXISTS TOUCH MGET SINTER SUNION SDIFF PFCOUNT', several(false, 1, 1))
writes('DEL UNLINK SINTERSTORE SUNIONSTORE SDIFFSTORE PFMERGE', several(true, 1, 1))
writes('MSET MSETNX', several(true, 1, 2))
writes('RENAME RENAMENX SMOVE RPOPLPUSH LMOVE ZRANGESTORE GEOSEARCHSTORE', move)
writes('COPY', copy)
reads('ZUNION ZINTER ZDIFF SINTERCARD ZINTERCARD', several(false, 2, 1, 'numkeys'))
writes('LMPOP ZMPOP', several(true, 2, 1, 'numkeys'))
writes('ZUNIONSTORE ZINTERSTORE ZDIFFSTORE', store)
writes('BITOP', several(true, 2, 1))
