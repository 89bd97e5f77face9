-- gcra: the generic cell rate algorithm. Admits at most burst + τ·limit/window permits in any interval of length τ.
--
-- State   KEYS[1]: the theoretical arrival time (TAT), the instant at which the bucket will be full again, in 1/16 µs
--         since 2024-01-01. No key: full.
-- ARGV    now_us, cost, burst, window_us, limit: a permit comes back every window_us/limit; filling the bucket takes
--         less than 8.9 years
-- Reply   allowed, remaining, retry_after_us, reset_after_us
-- Cost    O(1): GET, and SET when admitted
-- Source  ITU-T I.371 (2004), annex A; https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm
--
-- The time of a permit is rounded up to 1/16 µs, so that no more is admitted than the limit allows: 0.013 % less at
-- 3,000/s, 0.13 % less at 30,000/s. Times in this unit are exact in a Lua number until 2041.
--
-- The key expires once the TAT has passed; losing it then changes nothing. A wait beyond a full bucket, because the
-- clock stepped back or the limit changed, counts as a full one. That is written at once, even if nothing is admitted.
-- Where the clients pass the time, their clocks may be a second apart: the key lives so much longer, and a wait may be
-- so much longer.

local cost, burst = tonumber(ARGV[2]), tonumber(ARGV[3])
local now, margin_ms = tonumber(ARGV[1]), 1000
if ARGV[1] == '' then
  local time = redis.call('TIME')
  now, margin_ms = time[1] * 1000000 + time[2], 0
end
now = (now - 1704067200000000) * 16
local interval = math.ceil(ARGV[4] * 16 / ARGV[5])
local full = burst * interval

-- wait: the time until the bucket is full, which is what is used up of it
local wait = math.max(0, (redis.call('GET', KEYS[1]) or now) - now)
local changed = wait > full + margin_ms * 16000
if changed then wait = full end
local after = wait + cost * interval
local allowed = after <= full
if allowed then wait = after end
if allowed or changed then
  redis.call('SET', KEYS[1], now + wait, 'PX', math.ceil(wait / 16000) + margin_ms)
end

local remaining, reset = math.max(0, math.floor((full - wait) / interval)), math.ceil(wait / 16)
if allowed then return {1, remaining, 0, reset} end
if cost > burst then return {0, remaining, -1, reset} end
return {0, remaining, math.ceil((after - full) / 16), reset}
