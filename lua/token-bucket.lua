-- token-bucket: a managed bucket, with a configuration that init sets, a list of applications that may use it, and
-- continuous refill. Admits at most capacity + r·τ permits in any interval of length τ, for the rate r = l/w permits
-- per µs; decides as gcra does while time does not run backwards.
--
-- State   KEYS[1]: the configuration, a hash of one field app:NAME for each application that is allowed (app:* for
--         every one); each holds capacity, w and l, with blanks between. It is not state: it has no TTL, and lives
--         until it is deleted.
--         KEYS[1]:level: the time in µs, as 16 digits, a blank, and 16 digits of the level at that time in units of
--         1/w permit. It expires when the bucket is full, which is also what its absence means.
-- ARGV    now_us, cost, operation, and
--           acquire: application
--           init:    capacity, w, l (a permit comes back every w/l µs; capacity·w + l < 2^53), applications …
--                    (none, or *: every application)
--           delete:  nothing
--         init and delete take a cost and do not use it.
-- Reply   acquire: allowed, remaining, retry_after_us, reset_after_us; {−1, 0, −1, 0} when not configured: there is no
--         such bucket, or the application, compared whole, is not on its list
--         init:    1, and the bucket's remaining, 0 and reset_after_us. The same configuration again changes
--         nothing; another one replaces it and fills the bucket
--         delete:  {1, 0, 0, 0}, or {−1, 0, −1, 0} when there was none
--         A caller knows a fourth answer, unavailable: Redis did not answer.
-- Cost    acquire: O(1): HGET (another for app:*) and GET, and when admitted PSETEX or SETEX; or SETRANGE, where the
--         bucket was not full, the time is the server's, and the instant at which it will be full stays within
--         its second. init: O(applications). delete: O(applications)
-- Source  J. Turner, New directions in communications, IEEE Communications Magazine 24(10), 1986;
--         https://en.wikipedia.org/wiki/Token_bucket
--
-- No fraction of a token is lost: the level is an integer of such units. A clock that steps back adds nothing, and
-- the time of the level never moves back.
--
-- By the server's time the level lives at least until the second in which the bucket will be full is over, so that
-- SETRANGE, which keeps the expiry, is enough within that second; gcra tells more.
--
-- Note: a configuration of one field each for capacity, w and l takes an HMGET, whose reply is a table: three times
-- an HGET.

local now, cost, operation = nil, 1, ARGV[3]
if ARGV[2] ~= '1' then cost = tonumber(ARGV[2]) end -- the usual value without a call of tonumber
local time
if ARGV[1] == '' then
  time = redis.call('TIME')
  now = time[1] * 1000000 + time[2]
else
  now = tonumber(ARGV[1])
end
if not (now and now >= 0 and now <= 4503599627370496 and now % 1 == 0) then
  return redis.error_reply('ERR token-bucket: want now_us: a whole number of at least 0, or empty')
end
local level_key = KEYS[1] .. ':level'

if operation == 'delete' then
  redis.call('DEL', level_key)
  if redis.call('DEL', KEYS[1]) == 0 then return {-1, 0, -1, 0} end
  return {1, 0, 0, 0}
end

local configuration, capacity, w, l
if operation == 'acquire' then
  local application = ARGV[4]
  if not (cost and cost >= 1 and cost <= 9007199254740992 and cost % 1 == 0 and application and application ~= '') then
    return redis.error_reply('ERR token-bucket: acquire: want a cost, a whole number of at least 1, and an application')
  end
  configuration = redis.call('HGET', KEYS[1], 'app:' .. application)
  if not configuration then configuration = redis.call('HGET', KEYS[1], 'app:*') end
  if not configuration then return {-1, 0, -1, 0} end
  capacity, w, l = string.match(configuration, '(.-) (.-) (.+)')
  capacity = capacity + 0
  w = w + 0
  l = l + 0
elseif operation == 'init' then
  capacity, w, l = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
  if not (capacity and capacity >= 1 and capacity % 1 == 0 and w and w >= 1 and w % 1 == 0
      and l and l >= 1 and l % 1 == 0 and capacity * w + l < 9007199254740992) then
    return redis.error_reply('ERR token-bucket: init: want capacity, w, l: whole numbers of at least 1, capacity*w + l below 2^53')
  end
  configuration = string.format('%.0f %.0f %.0f', capacity, w, l)
  local wanted, applications = {}, 0
  for i = 7, math.max(7, #ARGV) do
    local application = ARGV[i] or '*'
    if application == '' then return redis.error_reply('ERR token-bucket: init: an application has an empty name') end
    if not wanted['app:' .. application] then applications = applications + 1 end
    wanted['app:' .. application] = configuration
  end
  local present = redis.call('HGETALL', KEYS[1])
  local same = #present == 2 * applications
  for i = 1, #present, 2 do same = same and wanted[present[i]] == present[i + 1] end
  if not same then
    redis.call('DEL', KEYS[1], level_key)
    for field in pairs(wanted) do redis.call('HSET', KEYS[1], field, configuration) end
  end
else
  return redis.error_reply('ERR token-bucket: unknown operation; want acquire, init or delete')
end

-- early: how long a clock that stepped back is behind the level's time, from which on it refills. second: that of the
-- instant at which the bucket will be full.
local full = capacity * w
local level, early, second = full, 0, nil
local state = redis.call('GET', level_key)
if state then
  local at = tonumber(string.sub(state, 1, 16)) -- not + 0, to which 010 is 8 on the embedded server
  level = tonumber(string.sub(state, 18))
  second = at + math.ceil((full - level) / l)
  second = second - second % 1000000
  if now < at then
    early = at - now
  else
    level = math.min(full, level + (now - at) * l)
  end
end

local reset = 0
if level < full then reset = early + math.ceil((full - level) / l) end
if operation == 'init' then return {1, math.floor(level / w), 0, reset} end

local taken = cost * w
if taken <= level then
  level = level - taken
  reset = early + math.ceil((full - level) / l)
  local at, ends = now + early, now + reset
  -- in two parts each, because %d may be of 32 bits, and %.0f takes twice as long
  local low, level_low = at % 1000000000, level % 1000000000
  state = string.format('%07d%09d %07d%09d',
    (at - low) / 1000000000, low, (level - level_low) / 1000000000, level_low)
  if not time then
    redis.call('PSETEX', level_key, math.ceil(reset / 1000) + 1000, state)
  elseif ends - ends % 1000000 == second then
    redis.call('SETRANGE', level_key, '0', state)
  else
    redis.call('SETEX', level_key, math.floor(ends / 1000000) + 1 - time[1], state)
  end
  return {1, math.floor(level / w), 0, reset}
end

if cost > capacity then return {0, math.floor(level / w), -1, reset} end
return {0, math.floor(level / w), early + math.ceil((taken - level) / l), reset}
