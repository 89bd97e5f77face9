-- fixed-window-aligned: one counter for each window, and windows begin at multiples of their length on the clock.
-- Admits at most limit permits in a window, and so up to 2·limit in some interval as long as a window.
--
-- State   KEYS[1]:<window number>: the permits admitted in that window, as an integer
-- ARGV    now_us, cost, limit, window_us
-- Reply   allowed, remaining, retry_after_us, reset_after_us
-- Cost    O(1): GET, and INCR, INCRBY or PSETEX when admitted
-- Source  https://redis.io/docs/latest/commands/incr/ (pattern: rate limiter)
--
-- A counter outlives its window by one window more: a command that is delayed until after the expiry would open
-- the count anew. A clock that steps back into an earlier window goes on with that window's count.

local cost, limit, window = 1, tonumber(ARGV[3]), tonumber(ARGV[4])
if ARGV[2] ~= '1' then cost = tonumber(ARGV[2]) end -- the usual value without a call of tonumber
local now, margin_ms
if ARGV[1] == '' then
  local time = redis.call('TIME')
  now, margin_ms = time[1] * 1000000 + time[2], 0
else
  now, margin_ms = tonumber(ARGV[1]), 1000
end
if not (now and now >= 0 and now <= 4503599627370496 and now % 1 == 0
    and cost and cost >= 1 and cost <= 9007199254740992 and cost % 1 == 0
    and limit and limit >= 1 and limit <= 4503599627370496 and limit % 1 == 0
    and window and window >= 1 and window <= 4503599627370496 and window % 1 == 0) then
  return redis.error_reply('ERR fixed-window-aligned: want now_us, cost, limit, window_us: whole numbers of at least 1')
end

local left = window - now % window
local number = (now + left) / window - 1
local form = ':%.0f'
if number < 2147483648 then form = ':%d' end -- takes half as long, and may be of 32 bits
local key = KEYS[1] .. string.format(form, number)
local count = redis.call('GET', key)
if not count then
  if cost > limit then return {0, limit, -1, 0} end
  redis.call('PSETEX', key, math.ceil((left + window) / 1000) + margin_ms, cost)
  return {1, limit - cost, 0, left}
end

count = count + 0
if count + cost <= limit then
  if cost == 1 then redis.call('INCR', key) else redis.call('INCRBY', key, cost) end
  return {1, limit - count - cost, 0, left}
end
local retry = left
if cost > limit then retry = -1 end
return {0, math.max(0, limit - count), retry, left}
