-- fixed-window-aligned: one counter for each window, and windows begin at multiples of their length on the clock.
-- Admits at most limit permits in a window, and so up to 2·limit in some interval as long as a window.
--
-- State   KEYS[1]: a hash from a window's begin in µs (16 digits) to the permits admitted in it, for at most sixteen
--         windows, and window: their length in µs
-- ARGV    now_us, cost, limit, window_us
-- Reply   allowed, remaining, retry_after_us, reset_after_us
-- Cost    O(1): HMGET, and HINCRBY when admitted; for the first request of a window HKEYS, HSET and PEXPIRE instead,
--         and HDEL where sixteen are there
-- Source  https://redis.io/docs/latest/commands/incr/ (pattern: rate limiter)
--
-- A clock that steps back into a window that is kept goes on with its count. The hash lives for two windows from the
-- first request of its last one: a command that is delayed until after the expiry would open the count anew. Where a
-- seventeenth window opens, the lowest goes. Where the window's length changes, the count goes on in the new window;
-- that is written at once, even if nothing is admitted.

local cost, limit, window = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local now, margin_ms = tonumber(ARGV[1]), 1000
if ARGV[1] == '' then
  local time = redis.call('TIME')
  now, margin_ms = time[1] * 1000000 + time[2], 0
end

local left = window - now % window
local field = string.format('%016.0f', now + left - window)
local state = redis.call('HMGET', KEYS[1], field, 'window')
local count, length = tonumber(state[1] or 0), tonumber(state[2] or window)
local changed = length ~= window
if changed then
  count = tonumber(redis.call('HGET', KEYS[1], string.format('%016.0f', now - now % length)) or 0)
end

local allowed = count + cost <= limit
if allowed then count = count + cost end
if allowed and state[1] and not changed then
  redis.call('HINCRBY', KEYS[1], field, cost)
elseif allowed or changed then -- the window opens
  if changed then redis.call('DEL', KEYS[1]) end
  local fields = redis.call('HKEYS', KEYS[1])
  table.sort(fields)
  if #fields > 16 then redis.call('HDEL', KEYS[1], fields[1]) end
  redis.call('HSET', KEYS[1], field, count, 'window', ARGV[4])
  redis.call('PEXPIRE', KEYS[1], math.ceil(2 * window / 1000) + margin_ms)
end

local remaining = math.max(0, limit - count)
if allowed then return {1, remaining, 0, left} end
local retry, reset = left, left
if cost > limit then retry = -1 end
if count == 0 then reset = 0 end
return {0, remaining, retry, reset}
