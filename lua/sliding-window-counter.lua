-- sliding-window-counter: two counters of aligned windows, the previous one weighed by the part of it that the last
-- window still covers. Admits at most limit·(1 + τ/window) permits in any interval of length τ: up to nearly
-- 2·limit in one window. (The error of 0.003 % that is often quoted is an average over one workload.)
--
-- State   KEYS[1]: a hash from a window's number to the permits admitted in it, for at most sixteen windows, and
--         window: their length in µs
-- ARGV    now_us, cost, limit (below 2^31), window_us (below 2^45)
-- Reply   allowed, remaining, retry_after_us, reset_after_us
-- Cost    O(1): HMGET, and HINCRBY when admitted. The first that a window admits: HMGET, HLEN, HINCRBY, PTTL and
--         PEXPIRE, and HKEYS and HDEL where sixteen are there; the first of a key: HMGET, HSET and PEXPIRE
-- Source  https://blog.cloudflare.com/counting-things-a-lot-of-different-things/
--
-- With e µs gone of the current window it admits iff previous·(window − e) + (current + cost)·window ≤
-- limit·window, in integers: a quotient that is rounded in between changes decisions. The hash lives until the
-- window after its last one has ended. Two windows are enough for a clock that never steps back; up to sixteen are
-- kept, of which the lowest goes (but not the previous one), so that a clock that does goes on with the older window's
-- count. The expiry lies on the server's clock, which is no rule here: where that clock is ahead or steps forward by
-- more than a window, the counts go early, and a client whose clock did not step is let in anew.
--
-- Where the window's length changes, the old windows weigh as they did, until the first request that is admitted
-- carries what they weigh into the new window.

local cost, limit, window = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local now, margin_ms
if ARGV[1] == '' then
  local time = redis.call('TIME')
  now, margin_ms = time[1] * 1000000 + time[2], 0
else
  now, margin_ms = tonumber(ARGV[1]), 1000
end
if not (now and now >= 0 and now <= 4503599627370496 and now % 1 == 0
    and cost and cost >= 1 and cost <= 9007199254740992 and cost % 1 == 0
    and limit and limit >= 1 and limit < 2147483648 and limit % 1 == 0
    and window and window >= 1 and window < 35184372088832 and window % 1 == 0) then
  return redis.error_reply('ERR sliding-window-counter: want now_us, cost, limit, window_us: '
    .. 'whole numbers of at least 1, limit below 2^31, window below 2^45')
end

-- share is floor(a * b / c), exactly, for a < 2^45, b < c and c < 2^45: a's digits in base 128, as in long division.
local function share(a, b, c)
  if a * b < 9007199254740992 then return math.floor(a * b / c) end
  local digit, quotient, rest = 4398046511104, 0, 0 -- 128^6
  while digit >= 1 do
    local part = rest * 128 + math.floor(a / digit) % 128 * b
    rest = part % c
    quotient = quotient * 128 + (part - rest) / c
    digit = digit / 128
  end
  return quotient
end

local elapsed = now % window
local number = (now - elapsed) / window
local field = string.format('%.0f', number)
local counts = redis.call('HMGET', KEYS[1], field, string.format('%.0f', number - 1), 'window')

-- at µs into a window as long as span. other: these are windows from before a change of their length.
local at, span, length = elapsed, window, tonumber(counts[3])
local other = not counts[1] and length and length ~= window
if other then
  span, at = length, now % length
  local old = (now - at) / span
  counts = redis.call('HMGET', KEYS[1], string.format('%.0f', old), string.format('%.0f', old - 1))
end
local current, previous = tonumber(counts[1] or 0), tonumber(counts[2] or 0)

-- What the previous window takes of the limit, rounded up. The sum is of integers, so that this changes nothing.
local weighed = 0
if previous > 0 then weighed = previous - share(previous, at, span) end
local remaining = math.max(0, limit - current - weighed)

if cost <= remaining then
  if counts[1] and not other then
    redis.call('HINCRBY', KEYS[1], field, cost)
    return {1, remaining - cost, 0, 2 * window - elapsed}
  end
  local life_ms = math.ceil((2 * window - elapsed) / 1000) + margin_ms
  if length and not other then
    if redis.call('HLEN', KEYS[1]) > 16 then
      local lowest
      for _, name in ipairs(redis.call('HKEYS', KEYS[1])) do
        if name ~= 'window' and tonumber(name) ~= number - 1
            and (not lowest or tonumber(name) < tonumber(lowest)) then
          lowest = name
        end
      end
      redis.call('HDEL', KEYS[1], lowest)
    end
    redis.call('HINCRBY', KEYS[1], field, cost)
    if redis.call('PTTL', KEYS[1]) < life_ms then redis.call('PEXPIRE', KEYS[1], life_ms) end
  else
    if other then redis.call('DEL', KEYS[1]) end
    redis.call('HSET', KEYS[1], 'window', ARGV[4], field, current + weighed + cost)
    redis.call('PEXPIRE', KEYS[1], life_ms)
  end
  return {1, remaining - cost, 0, 2 * window - elapsed}
end

local reset = 0
if current > 0 then
  reset = 2 * span - at
elseif weighed > 0 then
  reset = span - at
end
if cost > limit then return {0, remaining, -1, reset} end

-- The instant at which the previous window weighs little enough: in this window, or, when the current count alone
-- leaves too little, in the next, in which it is the previous one.
local room = limit - current - cost
if room >= 0 then return {0, remaining, span - share(span, room, previous) - at, reset} end
return {0, remaining, 2 * span - share(span, limit - cost, current) - at, reset}
