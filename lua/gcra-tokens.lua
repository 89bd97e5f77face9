-- gcra-tokens: gcra for requests whose cost is known at their end. A start reserves tokens, and the end settles them.
--
-- State   KEYS[1]: as in gcra.lua. If requests cost more than they reserved, the bucket may be in debt.
-- ARGV    now_us, cost, burst, window_us, limit; to settle, also what was reserved: cost is then the actual cost
-- Reply   allowed, remaining, retry_after_us, reset_after_us; to settle, 1
-- Cost    O(1): GET, and SET when admitted or settled
-- Source  gcra.lua
--
-- A cost of 0 is admitted if any time is left in the bucket: then the end charges the whole cost.

local now, cost, burst, reserved = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[6])
if ARGV[1] == '' then
  local time = redis.call('TIME')
  now = time[1] * 1000000 + time[2]
end
now = (now - 1704067200000000) * 16
local interval = math.ceil(ARGV[4] * 16 / ARGV[5])
local full = burst * interval

-- wait: the time until the bucket is full
local wait = math.max(0, (redis.call('GET', KEYS[1]) or now) - now)
local after = wait + (cost - (reserved or 0)) * interval
local allowed = after <= full and (cost > 0 or wait < full)
if allowed or reserved then
  wait = math.max(0, after)
  redis.call('SET', KEYS[1], now + wait, 'PX', math.max(1, math.ceil(wait / 16000)))
end
if reserved then return 1 end

local remaining, reset = math.max(0, math.floor((full - wait) / interval)), math.ceil(wait / 16)
if allowed then return {1, remaining, 0, reset} end
if cost > burst then return {0, remaining, -1, reset} end
return {0, remaining, math.ceil(math.max(1, after - full) / 16), reset}
