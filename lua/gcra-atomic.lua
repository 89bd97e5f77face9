-- gcra-atomic: gcra with several limits in one call. It charges all limits, or none if one of them refuses.
--
-- State   KEYS[i]: as KEYS[1] of gcra.lua, for limit i
-- ARGV    now_us, then cost, burst, window_us, limit for each limit
-- Reply   allowed, remaining, retry_after_us, reset_after_us, 0, refused: the sum of 2^(i-1) for each limit i that
--         refuses. The figures of a rejection are those of the limits that refuse; the client waits for the last of them
-- Cost    O(n) for n limits: n times GET, and n times SET when admitted
-- Source  gcra.lua
--
-- In a cluster, all keys need one hash tag. A rejection writes nothing.

local now, margin_ms = tonumber(ARGV[1]), 1000
if ARGV[1] == '' then
  local time = redis.call('TIME')
  now, margin_ms = time[1] * 1000000 + time[2], 0
end
now = (now - 1704067200000000) * 16

local after, full, interval = {}, {}, {} -- after: the time until the bucket is full, if the request is admitted
local refused, remaining, retry, reset = 0, 9007199254740992, 0, 0
for i = 1, #KEYS do
  local cost, burst = tonumber(ARGV[4 * i - 2]), tonumber(ARGV[4 * i - 1])
  interval[i] = math.ceil(ARGV[4 * i] * 16 / ARGV[4 * i + 1])
  full[i] = burst * interval[i]
  local wait = math.max(0, (redis.call('GET', KEYS[i]) or now) - now)
  if wait > full[i] + margin_ms * 16000 then wait = full[i] end
  after[i] = wait + cost * interval[i]
  if after[i] > full[i] then
    refused = refused + 2 ^ (i - 1)
    remaining = math.min(remaining, math.max(0, math.floor((full[i] - wait) / interval[i])))
    reset = math.max(reset, math.ceil(wait / 16))
    if cost > burst then retry = -1 end
    if retry >= 0 then retry = math.max(retry, math.ceil((after[i] - full[i]) / 16)) end
  end
end
if refused > 0 then return {0, remaining, retry, reset, 0, refused} end

for i = 1, #KEYS do
  redis.call('SET', KEYS[i], now + after[i], 'PX', math.ceil(after[i] / 16000) + margin_ms)
  remaining = math.min(remaining, math.floor((full[i] - after[i]) / interval[i]))
  reset = math.max(reset, math.ceil(after[i] / 16))
end
return {1, remaining, 0, reset, 0, 0}
