-- token-bucket: a managed bucket, with a configuration that init sets, a list of applications that may use it, and
-- continuous refill. Admits at most capacity + r·τ permits in any interval of length τ, for the rate r = l/w permits
-- per µs; decides as gcra does while time does not run backwards.
--
-- State   KEYS[1]: the configuration, a hash of capacity, w, l, and one field app:NAME for each application that is
--         allowed (app:* for every one). It is not state: it has no TTL, and lives until it is deleted.
--         KEYS[1]:level: the level in units of 1/w permit, a blank, and the time in µs at which it was so. It
--         expires when the bucket is full, which is also what its absence means.
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
-- Cost    acquire: O(1): HMGET and GET, and SET when admitted. init: O(applications). delete: O(applications)
-- Source  J. Turner, New directions in communications, IEEE Communications Magazine 24(10), 1986;
--         https://en.wikipedia.org/wiki/Token_bucket
--
-- No fraction of a token is lost: the level is an integer of such units. A clock that steps back adds nothing, and
-- the time of the level never moves back.

local now, cost, operation = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]
local margin_ms = 1000
if ARGV[1] == '' then
  local time = redis.call('TIME')
  now, margin_ms = time[1] * 1000000 + time[2], 0
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

local capacity, w, l
if operation == 'init' then
  capacity, w, l = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
  if not (capacity and capacity >= 1 and capacity % 1 == 0 and w and w >= 1 and w % 1 == 0
      and l and l >= 1 and l % 1 == 0 and capacity * w + l < 9007199254740992) then
    return redis.error_reply('ERR token-bucket: init: want capacity, w, l: whole numbers of at least 1, capacity*w + l below 2^53')
  end
  local wanted = {
    capacity = string.format('%.0f', capacity), w = string.format('%.0f', w), l = string.format('%.0f', l),
  }
  local fields = 3
  for i = 7, math.max(7, #ARGV) do
    local application = ARGV[i] or '*'
    if application == '' then return redis.error_reply('ERR token-bucket: init: an application has an empty name') end
    if not wanted['app:' .. application] then fields = fields + 1 end
    wanted['app:' .. application] = '1'
  end
  local present = redis.call('HGETALL', KEYS[1])
  local same = #present == 2 * fields
  for i = 1, #present, 2 do same = same and wanted[present[i]] == present[i + 1] end
  if not same then
    redis.call('DEL', KEYS[1], level_key)
    for field, value in pairs(wanted) do redis.call('HSET', KEYS[1], field, value) end
  end
elseif operation == 'acquire' then
  local application = ARGV[4]
  if not (cost and cost >= 1 and cost <= 9007199254740992 and cost % 1 == 0 and application and application ~= '') then
    return redis.error_reply('ERR token-bucket: acquire: want a cost, a whole number of at least 1, and an application')
  end
  local found = redis.call('HMGET', KEYS[1], 'capacity', 'w', 'l', 'app:' .. application, 'app:*')
  if not (found[4] or found[5]) then return {-1, 0, -1, 0} end
  capacity, w, l = tonumber(found[1]), tonumber(found[2]), tonumber(found[3])
else
  return redis.error_reply('ERR token-bucket: unknown operation; want acquire, init or delete')
end

-- early: how long a clock that stepped back is behind the level's time, from which on it refills.
local full = capacity * w
local level, early = full, 0
local state = redis.call('GET', level_key)
if state then
  local amount, at = string.match(state, '^(%d+) (%d+)$')
  level, at = tonumber(amount), tonumber(at)
  if now < at then
    early = at - now
  else
    level = math.min(full, level + (now - at) * l)
  end
end

if operation == 'acquire' and cost * w <= level then
  level = level - cost * w
  local filling = math.ceil((full - level) / l)
  redis.call('SET', level_key, string.format('%.0f %.0f', level, now + early), 'PX',
    math.ceil((early + filling) / 1000) + margin_ms)
  return {1, math.floor(level / w), 0, early + filling}
end

local reset = 0
if level < full then reset = early + math.ceil((full - level) / l) end
if operation == 'init' then return {1, math.floor(level / w), 0, reset} end
if cost > capacity then return {0, math.floor(level / w), -1, reset} end
return {0, math.floor(level / w), early + math.ceil((cost * w - level) / l), reset}
