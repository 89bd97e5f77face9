-- fixed-window-aligned-tokens: a fixed window aligned to the clock, for requests whose cost is known at their end. A
-- start reserves tokens, and the end settles them in the window of the start, if that is still the current one.
--
-- State   KEYS[1]: a hash with the begin of the window in µs and the count of its tokens. It expires with the window.
-- ARGV    now_us, cost, limit, window_us; to settle, also what was reserved and the start in µs: cost is then the actual
--         cost
-- Reply   allowed, remaining, retry_after_us, reset_after_us; to settle, 1, or 0 if the window is over
-- Cost    O(1): HMGET, and HSET and PEXPIRE when admitted
-- Source  fixed-window-aligned.lua
--
-- A cost of 0 is admitted if any tokens are left: then the end charges the whole cost.

local now, cost, limit, window = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
if ARGV[1] == '' then
  local time = redis.call('TIME')
  now = time[1] * 1000000 + time[2]
end
local begin = now - now % window
local state = redis.call('HMGET', KEYS[1], 'begin', 'count')
local used, current = 0, tonumber(state[1]) == begin
if current then used = tonumber(state[2]) end

local reserved = tonumber(ARGV[5])
if reserved then
  if not current or ARGV[6] - ARGV[6] % window ~= begin then return 0 end
  redis.call('HSET', KEYS[1], 'count', math.max(0, used + cost - reserved))
  return 1
end

local left, reset = begin + window - now, 0
local allowed = used + cost <= limit and used < limit
if allowed then
  used = used + cost
  redis.call('HSET', KEYS[1], 'begin', begin, 'count', used)
  redis.call('PEXPIRE', KEYS[1], math.ceil(left / 1000))
end
if used > 0 then reset = left end
if allowed then return {1, limit - used, 0, reset} end
if cost > limit then left = -1 end
return {0, math.max(0, limit - used), left, reset}
