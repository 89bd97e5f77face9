-- token-bucket: a managed bucket, with a configuration that init sets, a list of applications that may use it, and
-- continuous refill. Admits at most capacity + r·τ permits in any interval of length τ, for the rate r = l/w permits
-- per µs; decides as gcra does while time does not run backwards.
--
-- State   KEYS[1]: a hash. app:NAME, for each application that is allowed (app:* for every one): capacity, w and l,
--         with blanks between. level: the time in µs, a blank, and the level at that time in units of 1/w permit (where
--         capacity·w + l reaches 2^53, whole µs of refilling, a blank, and a rest in 1/l µs); its absence means full.
--         Being configuration, the hash has no TTL: it lives until it is deleted, and losing it would mean "not
--         configured". (noeviction and the volatile-… policies do not evict it.)
-- ARGV    now_us, cost, operation, and
--           acquire: application
--           init:    capacity, w, l (a permit comes back every w/l µs; capacity·w < 2^62, (capacity + 1)·l < 2^53 and
--                    capacity·w/l ≤ 2^52), applications … (none, or *: every application)
--           delete:  nothing
--         init and delete take a cost and do not use it.
-- Reply   acquire: allowed, remaining, retry_after_us, reset_after_us; {−1, 0, −1, 0} when not configured: there is no
--         such bucket, or the application, compared whole, is not on its list
--         init:    1, and the bucket's remaining, 0 and reset_after_us. The same configuration again changes
--         nothing; another one replaces it and fills the bucket
--         delete:  {1, 0, 0, 0}, or {−1, 0, −1, 0} when there was none
--         A caller knows a fourth answer, unavailable: Redis did not answer.
-- Cost    acquire: O(1): HMGET, and HSET when admitted. init, delete: O(applications)
-- Source  J. Turner, New directions in communications, IEEE Communications Magazine 24(10), 1986;
--         https://en.wikipedia.org/wiki/Token_bucket
--
-- No fraction of a token is lost: the level is an integer of such units. A clock that steps back adds nothing, and
-- the time of the level never moves back; no TTL is there that a clock could be wrong about.

local cost, operation = tonumber(ARGV[2]), ARGV[3]
local now
if ARGV[1] == '' then
  local time = redis.call('TIME')
  now = time[1] * 1000000 + time[2]
else
  now = tonumber(ARGV[1])
end
if not (now and now >= 0 and now <= 4503599627370496 and now % 1 == 0) then
  return redis.error_reply('ERR token-bucket: want now_us: a whole number of at least 0, or empty')
end

if operation == 'delete' then
  if redis.call('DEL', KEYS[1]) == 0 then return {-1, 0, -1, 0} end
  return {1, 0, 0, 0}
end

local configuration, capacity, w, l, state
if operation == 'acquire' then
  local application = ARGV[4]
  if not (cost and cost >= 1 and cost <= 9007199254740992 and cost % 1 == 0 and application and application ~= '') then
    return redis.error_reply('ERR token-bucket: acquire: want a cost, a whole number of at least 1, and an application')
  end
  local found = redis.call('HMGET', KEYS[1], 'app:' .. application, 'app:*', 'level')
  configuration, state = found[1] or found[2], found[3]
  if not configuration then return {-1, 0, -1, 0} end
  capacity, w, l = string.match(configuration, '(%d+) (%d+) (%d+)')
  capacity, w, l = tonumber(capacity), tonumber(w), tonumber(l)
elseif operation == 'init' then
  capacity, w, l = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
  if not (capacity and capacity >= 1 and capacity % 1 == 0 and w and w >= 1 and w % 1 == 0
      and l and l >= 1 and l % 1 == 0
      and (capacity * w + l < 9007199254740992 or capacity * w < 4611686018427387904
        and (capacity + 1) * l < 9007199254740992 and capacity * w / l <= 4503599627370496)) then
    return redis.error_reply('ERR token-bucket: init: want capacity, w, l: whole numbers of at least 1, '
      .. 'capacity*w below 2^62, capacity*l below 2^53, capacity*w/l up to 2^52')
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
  local same = true
  for i = 1, #present, 2 do
    if present[i] == 'level' then
      state = present[i + 1]
    else
      applications = applications - 1
      same = same and wanted[present[i]] == present[i + 1]
    end
  end
  if not same or applications > 0 then
    state = nil
    redis.call('DEL', KEYS[1])
    for field in pairs(wanted) do redis.call('HSET', KEYS[1], field, configuration) end
  end
else
  return redis.error_reply('ERR token-bucket: unknown operation; want acquire, init or delete')
end

-- early: how long a clock that stepped back is behind the level's time, from which on it refills.
local full, early = capacity * w, 0
if full + l >= 9007199254740992 then
  -- In two words, whole µs of refilling and units of 1/l µs, because a full bucket is more than 2^53 of these.
  local w_part = w % l
  local w_whole = (w - w_part) / l
  local function time(permits)
    local parts = permits * w_part
    local part = parts % l
    return permits * w_whole + (parts - part) / l, part
  end
  local full_whole, full_part = time(capacity)
  local whole, part = full_whole, full_part
  if state then
    local at, old_whole, old_part = string.match(state, '(%d+) (%d+) (%d+)')
    at, whole, part = tonumber(at), tonumber(old_whole), tonumber(old_part)
    if now < at then early = at - now else whole = whole + now - at end
    if whole > full_whole or whole == full_whole and part > full_part then whole, part = full_whole, full_part end
  end
  local fits, retry = false, -1
  if operation == 'init' then
    fits = true
  elseif cost <= capacity then
    local taken, taken_part = time(cost)
    fits = taken < whole or taken == whole and taken_part <= part
    if fits then
      whole, part = whole - taken, part - taken_part
      if part < 0 then whole, part = whole - 1, part + l end
      redis.call('HSET', KEYS[1], 'level', string.format('%.0f %.0f %.0f', now + early, whole, part))
    else
      retry = early + taken - whole
      if taken_part > part then retry = retry + 1 end
    end
  end
  local reset = 0
  if whole < full_whole or part < full_part then
    reset = early + full_whole - whole
    if full_part > part then reset = reset + 1 end
  end
  local remaining = math.floor((whole * l + part) / w) -- of a rounded product: one off at the most
  local much, much_part = time(remaining)
  if much > whole or much == whole and much_part > part then
    remaining = remaining - 1
  else
    much, much_part = time(remaining + 1)
    if much < whole or much == whole and much_part <= part then remaining = remaining + 1 end
  end
  if fits then return {1, remaining, 0, reset} end
  return {0, remaining, retry, reset}
end

local level = full
if state then
  local at, old_level = string.match(state, '(%d+) (%d+)')
  at, level = tonumber(at), tonumber(old_level)
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
  redis.call('HSET', KEYS[1], 'level', string.format('%.0f %.0f', now + early, level))
  return {1, math.floor(level / w), 0, reset}
end

if cost > capacity then return {0, math.floor(level / w), -1, reset} end
return {0, math.floor(level / w), early + math.ceil((taken - level) / l), reset}
