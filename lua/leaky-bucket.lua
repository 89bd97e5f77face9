-- leaky-bucket: a queue of burst places that lets one permit leave every window_us/limit. A request is admitted with
-- the delay after which it leaves, or rejected when the queue has no room for it. The one that is leaving counts, so a
-- delay is at most (burst − 1)·window_us/limit.
--
-- State   KEYS[1]: the next free departure, in 1/16 µs since 2024-01-01. No key: an empty queue.
-- ARGV    now_us, cost, burst, window_us, limit: a permit leaves every window_us/limit; a full queue takes less than
--         8.9 years to empty
-- Reply   allowed, remaining, retry_after_us, reset_after_us, delay_us (rounded up to the microsecond)
-- Cost    O(1): GET, and SET when admitted
-- Source  J. Turner, New directions in communications, IEEE Communications Magazine 24(10), 1986;
--         https://en.wikipedia.org/wiki/Leaky_bucket (as a queue)
--
-- Admits what gcra admits, and says when each leaves. The time of a permit is rounded up to 1/16 µs, so that none
-- leaves earlier than the limit allows. Times in this unit are exact in a Lua number until 2041.
--
-- The key expires once the queue is empty; losing it then changes nothing. A wait beyond a full queue, because the
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

-- wait: the time until the queue is empty
local wait = math.max(0, (redis.call('GET', KEYS[1]) or now) - now)
local changed = wait > full + margin_ms * 16000
if changed then wait = full end
local delay = math.ceil(wait / 16)
local after = wait + cost * interval
local allowed = after <= full
if allowed then wait = after end
if allowed or changed then
  redis.call('SET', KEYS[1], now + wait, 'PX', math.ceil(wait / 16000) + margin_ms)
end

local remaining, reset = math.max(0, math.floor((full - wait) / interval)), math.ceil(wait / 16)
if allowed then return {1, remaining, 0, reset, delay} end
if cost > burst then return {0, remaining, -1, reset, 0} end
return {0, remaining, math.ceil((after - full) / 16), reset, 0}
