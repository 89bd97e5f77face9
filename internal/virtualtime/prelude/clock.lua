-- The virtual clock, written around a script's body; wrap.go joins the parts in the order clock, commands, expiry,
-- facade, fence, stranger where the script is a user's, and then batch or single. They follow the body, so that its
-- errors keep the line numbers of the author's file. The body stands in a function of its own, make, which sees none of
-- the names here.
--
-- Deadlines are kept by the server itself: virtual millisecond v is the real expiry v + offset, where offset
-- puts every deadline of the run into the real future. RENAME, COPY, SET, an emptied list and whatever else
-- moves or drops a TTL then do so by the server's own rules, and the prelude only has to (1) translate times on
-- the way in and out and (2) bury a key whose virtual deadline has passed before a command sees it.
--
-- Note: a table of deadlines beside the keys was tried first. It saves the real EXPIRE, and has to repeat
-- every rule by which Redis forgets one.

local type, error, pcall, xpcall, select, unpack = type, error, pcall, xpcall, select, unpack
local tostring, tonumber, pairs, rawget, rawset, setmetatable = tostring, tonumber, pairs, rawget, rawset, setmetatable
local getmetatable, next = getmetatable, next
local raw = real.call
local floor, huge, format = math.floor, math.huge, string.format
local upper, sub, byte = string.upper, string.sub, string.byte
local match, gmatch, find = string.match, string.gmatch, string.find
local min, sort = math.min, table.sort
local now, now_s = 0, '0' -- the server's virtual time at this arrival in µs, as number and as string
-- Whether a whole number is better written by format('%d') than by the server, which takes a fifth of a SET for it; not
-- where the Lua is not C, or counts in 32 bits.
local quick = real.REDIS_VERSION and format('%d', 2^52) == '4503599627370496'
local calls = 0           -- commands that the body has issued
local dies = {}           -- key -> last µs at which it is alive, as far as this EVAL has looked
local look = {}           -- keys that may be new, or whose deadline a report may have missed
local missed = {}         -- key -> µs at which it was not there, where this was the first look at it
-- The keys that the script was given: a copy, because KEYS itself is the script's to write to. checked[key] is the turn
-- in which they were last seen to cover key.
local granted, turn, checked = {}, 1, {}

-- number is tonumber with one argument; numbers has what it gives for the arguments that hold for a batch. C reads a
-- text twice to make a number of it, which takes a thirtieth of a decision.
local numbers = {}
local function number(v) return numbers[v] or tonumber(v) end

-- fail raises what the server itself would say.
local function fail(text) error({err = text}, 0) end

-- refuse raises what virtual time cannot follow. It is remembered, because a script that catches the error would
-- otherwise go on and decide something else than it does without virtual time.
local refusal
local function refuse(text)
  refusal = refusal or {err = text}
  error(refusal, 0)
end

-- spelled is a number as the server would write it as an argument: the versions differ beyond the whole numbers.
local function spelled(number)
  if number % 1 == 0 and number > -1e15 and number < 1e15 and number ~= 0 then return format('%.0f', number) end
  return raw('ECHO', number)
end

-- short is number as the server would write it, sooner.
local function short(number)
  if quick and number % 1 == 0 and number ~= 0 and number < 2^53 and number > -2^53 then return format('%d', number) end
  return number
end

-- check fails unless the script may touch key: one that it was given, or one of them with a suffix. An empty one is none.
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

-- bury deletes key, and answers whether it was there.
local function bury(key)
  dies[key], look[key] = huge, true
  return raw('DEL', key)
end

-- touch makes the server show key as it is at this virtual instant, and returns its name as a string.
local function touch(key)
  if type(key) == 'number' then key = spelled(key) end
  if type(key) ~= 'string' then
    raw('EXISTS', key) -- the server's own objection to what is no argument
    fail('ERR a key is neither a string nor a number')
  end
  if checked[key] ~= turn then check(key) end
  if now > (dies[key] or fetch(key)) then bury(key) end
  return key
end

-- forget makes the next touch ask the server again: the key may be gone, or under another deadline.
local function forget(key) dies[key], look[key] = nil, true end
