-- token-bucket: a managed bucket, with a configuration that init sets, a list of applications that may use it, and
-- continuous refill. Admits at most capacity + r·τ permits in any interval of length τ, for the rate r = l/w permits
-- per µs; decides as gcra does, but for gcra's rounding.
--
-- State   KEYS[1]: a hash. configuration: capacity, w, l and the names of the applications, with blanks between;
--         app:NAME for each of them (app:*: every application); used: what was used up of the bucket, in units of 1/w
--         permit, at the time at, in µs. Being configuration, the hash has no TTL: it lives until it is deleted, and
--         losing it would mean "not configured". (noeviction and the volatile-… policies do not evict it.)
-- ARGV    now_us, cost, operation, and
--           acquire: application
--           init:    capacity, w, l (a permit comes back every w/l µs, a reduced fraction; capacity·w < 2^53),
--                    applications … (none, or *: every application)
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
-- No fraction of a token is lost: used is an integer of such units. More than a full bucket, because the clock stepped
-- back, counts as a full one. That is written at once, even if nothing is admitted. Where the clients pass the time,
-- their clocks may be a second apart: it may be so much more.

local cost, operation, application = tonumber(ARGV[2]), ARGV[3], ARGV[4]
local now, margin = tonumber(ARGV[1]), 1000000
if ARGV[1] == '' then
  local time = redis.call('TIME')
  now, margin = time[1] * 1000000 + time[2], 0
end
local written = string.format('%.0f', now)

if operation == 'delete' then
  if redis.call('DEL', KEYS[1]) == 0 then return {-1, 0, -1, 0} end
  return {1, 0, 0, 0}
elseif operation == 'init' then
  local names = {unpack(ARGV, 7)}
  if #names == 0 then names[1] = '*' end
  table.sort(names)
  local numbers = string.format('%.0f %.0f %.0f ', tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]))
  if redis.call('HGET', KEYS[1], 'configuration') ~= numbers .. table.concat(names, ' ') then
    redis.call('DEL', KEYS[1])
    redis.call('HSET', KEYS[1], 'configuration', numbers .. table.concat(names, ' '))
    for _, name in ipairs(names) do redis.call('HSET', KEYS[1], 'app:' .. name, 1) end
  end
  cost, application = 0, names[1]
end

local found = redis.call('HMGET', KEYS[1], 'app:' .. application, 'app:*', 'configuration', 'used', 'at')
if not found[1] and not found[2] then return {-1, 0, -1, 0} end
local capacity, w, l = string.match(found[3], '(%d+) (%d+) (%d+)')
local full = capacity * w
local used = math.max(0, (found[4] or 0) - (now - (found[5] or now)) * l)
local changed = used > full + margin * l
if changed then used = full end
local after = used + cost * w
local allowed = after <= full
if allowed then used = after end
if allowed or changed then redis.call('HSET', KEYS[1], 'used', used, 'at', written) end

local remaining, reset = math.max(0, math.floor((full - used) / w)), math.ceil(used / l)
if allowed then return {1, remaining, 0, reset} end
if after - used > full then return {0, remaining, -1, reset} end
return {0, remaining, math.ceil((after - full) / l), reset}
