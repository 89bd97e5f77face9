-- The virtual clock around a script's body. wrap.go joins the parts in this order: clock, commands, expiry, facade,
-- fence, then stranger if the script is a user's, then batch or single. They follow the body, so that its errors keep
-- the line numbers of the author's file. The body is inside its own function, make, and sees none of the names here.
--
-- The server itself keeps the deadlines: virtual millisecond v is the real expiry v + offset. offset places every
-- deadline of the run in the real future. So RENAME, COPY, SET, an emptied list and other changes move or drop a TTL by
-- the server's own rules. The prelude has only two tasks. (1) It translates times on the way in and out. (2) It deletes
-- a key whose virtual deadline has passed, before a command sees the key.
--
-- Note: a table of deadlines beside the keys was tried first. It saves the real EXPIRE, but it has to repeat every rule
-- by which Redis drops a deadline.

local type, error, pcall, xpcall, select, unpack = type, error, pcall, xpcall, select, unpack
local tostring, tonumber, pairs, rawget, rawset, setmetatable = tostring, tonumber, pairs, rawget, rawset, setmetatable
local getmetatable, next = getmetatable, next
local raw = real.call
local floor, huge, format = math.floor, math.huge, string.format
local upper, sub, byte = string.upper, string.sub, string.byte
local match, gmatch, find = string.match, string.gmatch, string.find
local min, sort = math.min, table.sort
local now, now_s = 0, '0' -- the server's virtual time at this arrival in µs, as number and as string
-- quick: the server takes a fifth of a SET to write a whole number, and format('%d') is faster. It is false if the
-- server's Lua is not the C implementation, or if '%d' has 32 bits.
local quick = real.REDIS_VERSION and format('%d', 2^52) == '4503599627370496'
local calls = 0           -- commands that the body has issued
local dies = {}           -- key -> last µs at which the key is alive, if this EVAL has looked at it
local look = {}           -- keys that may be new, or whose last reported deadline may be wrong
local missed = {}         -- key -> µs at which this EVAL first looked at the key and did not find it
-- granted has the keys that the script was given. It is a copy, because the script may write to KEYS. checked[key] is
-- the turn in which granted was last found to cover key.
local granted, turn, checked = {}, 1, {}

-- number is tonumber with one argument. numbers caches the results for the arguments that hold for a batch. C reads a
-- text twice to convert it, which takes a thirtieth of a decision.
local numbers = {}
local function number(v) return numbers[v] or tonumber(v) end

-- fail raises an error with the server's own words.
local function fail(text) error({err = text}, 0) end

-- refuse raises an error for a use that virtual time cannot follow. The error is remembered, because a script may catch
-- it, continue, and decide differently than without virtual time.
local refusal
local function refuse(text)
  refusal = refusal or {err = text}
  error(refusal, 0)
end

-- spelled returns a number as the server would write it as an argument. Servers of different versions write other
-- numbers than whole ones differently, so they are asked.
local function spelled(number)
  if number % 1 == 0 and number > -1e15 and number < 1e15 and number ~= 0 then return format('%.0f', number) end
  return raw('ECHO', number)
end

-- short returns a number as the server would write it, but faster.
local function short(number)
  if quick and number % 1 == 0 and number ~= 0 and number < 2^53 and number > -2^53 then return format('%d', number) end
  return number
end

-- check fails unless the script may touch key: a key that it was given, or such a key with a suffix. An empty key that
-- it was given grants nothing.
local function check(key)
  if any_key then return end
  for i = 1, #granted do
    local k = granted[i]
    if k ~= '' and sub(key, 1, #k) == k then
      checked[key] = turn
      return
    end
  end
  refuse('VTKEY the script touches the key "' .. key ..
    '", which is neither among the KEYS it was given nor begins with one of them')
end

-- fetch asks the server for key's deadline.
local function fetch(key)
  local at = raw('PEXPIRETIME', key)
  local last = huge
  if at == -2 then
    if not look[key] then missed[key] = now end
    look[key] = true
  elseif at ~= -1 and at ~= keep then
    if any_key and at < offset then
      refuse('VTCLOCK the key "' .. key ..
        '" has a TTL that was not set under the clock; delete it without the clock, or FLUSHDB')
    end
    last = (at - offset) * 1000 + 999
  end
  dies[key] = last
  return last
end

-- bury deletes key, and returns whether it existed.
local function bury(key)
  dies[key], look[key] = huge, true
  return raw('DEL', key)
end

-- touch makes the server show key as it is at this virtual instant. It returns the key's name as a string.
local function touch(key)
  if type(key) == 'number' then key = spelled(key) end
  if type(key) ~= 'string' then
    raw('EXISTS', key) -- the server's own error for an invalid argument
    fail('ERR a key is neither a string nor a number')
  end
  if checked[key] ~= turn then check(key) end
  if now > (dies[key] or fetch(key)) then bury(key) end
  return key
end

-- forget makes the next touch ask the server again, because the key may be gone or may have another deadline.
local function forget(key) dies[key], look[key] = nil, true end
