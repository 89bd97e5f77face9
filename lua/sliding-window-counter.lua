-- sliding-window-counter: two counters of aligned windows, the previous one weighed by the part of it that the last
-- window still covers. Admits at most limit·(1 + τ/window) permits in any interval of length τ: up to nearly
-- 2·limit in one window. (The error of 0.003 % that is often quoted is an average over one workload.)
--
-- State   KEYS[1]: a hash from a window's begin in µs (16 digits) to the permits admitted in it, for at most sixteen
--         windows, and window: their length in µs
-- ARGV    now_us, cost, limit (below 2^31), window_us (below 2^45)
-- Reply   allowed, remaining, retry_after_us, reset_after_us
-- Cost    O(1): HMGET, and HINCRBY when admitted; with the first that a window admits also HKEYS, HSET and PEXPIRE,
--         and HDEL where sixteen are there
-- Source  https://blog.cloudflare.com/counting-things-a-lot-of-different-things/
--
-- With e µs gone of the current window it admits iff previous·(window − e) + (current + cost)·window ≤ limit·window,
-- in integers: a quotient that is rounded in between changes decisions. The hash lives for two windows from the first
-- request of its last one. Two windows are enough for a clock that never steps back; up to sixteen are kept, of which
-- the lowest goes, so that a clock that does goes on with the older window's count.
--
-- Where the window's length changes, what the old windows weigh goes on as the count of the new one. That is written at
-- once, even if nothing is admitted.

-- floor(count * time / divisor), bit by bit where the product is more than a Lua number counts exactly.
local function share(count, time, divisor)
  if count * time < 2 ^ 53 then return math.floor(count * time / divisor) end
  local quotient, rest = 0, 0
  for bit = 30, 0, -1 do
    rest = rest * 2 + math.floor(count / 2 ^ bit) % 2 * time
    quotient, rest = quotient * 2 + math.floor(rest / divisor), rest % divisor
  end
  return quotient
end

local cost, limit, window = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local now, margin_ms = tonumber(ARGV[1]), 1000
if ARGV[1] == '' then
  local time = redis.call('TIME')
  now, margin_ms = time[1] * 1000000 + time[2], 0
end
local function begin(at, length) return string.format('%016.0f', at - at % length) end

local state = redis.call('HMGET', KEYS[1], begin(now, window), begin(now - window, window), 'window')
local length, added = tonumber(state[3] or window), 0
if length ~= window then -- it has changed: what the old windows weigh goes on
  local old = redis.call('HMGET', KEYS[1], begin(now, length), begin(now - length, length))
  added, state = (old[1] or 0) + (old[2] or 0) - share(old[2] or 0, now % length, length), {}
end
local elapsed = now % window
local current, previous = added + (state[1] or 0), tonumber(state[2] or 0)
local remaining = math.max(0, limit - current - previous + share(previous, elapsed, window))

if cost <= remaining then added = added + cost end
if added > 0 and not state[1] then -- the window opens
  if length ~= window then redis.call('DEL', KEYS[1]) end
  local fields = redis.call('HKEYS', KEYS[1])
  table.sort(fields)
  if #fields > 16 then redis.call('HDEL', KEYS[1], fields[fields[1] == begin(now - window, window) and 2 or 1]) end
  redis.call('HSET', KEYS[1], 'window', ARGV[4])
  redis.call('PEXPIRE', KEYS[1], math.ceil(2 * window / 1000) + margin_ms)
end
if added > 0 then redis.call('HINCRBY', KEYS[1], begin(now, window), added) end
if cost <= remaining then return {1, remaining - cost, 0, 2 * window - elapsed} end

-- The previous window weighs little enough later in this window, or, as the current one does, in the next. (a and b
-- or c is b if a is true, and else c.)
local room, counted, span = limit - current - cost, previous, window
if room < 0 then room, counted, span = limit - cost, current, 2 * window end
local retry = cost <= limit and span - elapsed - share(room, window, counted) or -1
return {0, remaining, retry, current > 0 and 2 * window - elapsed or previous > 0 and window - elapsed or 0}
