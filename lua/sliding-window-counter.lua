-- sliding-window-counter: two counters of aligned windows, the previous one weighed by the part of it that the last
-- window still covers. Admits at most limit·(1 + τ/window) permits in any interval of length τ: up to nearly
-- 2·limit in one window. (The error of 0.003 % that is often quoted is an average over one workload.)
--
-- State   KEYS[1]:<window number>: the permits admitted in that window, as an integer
-- ARGV    now_us, cost, limit (below 2^31), window_us (below 2^45)
-- Reply   allowed, remaining, retry_after_us, reset_after_us
-- Cost    O(1): two GETs, and INCR, INCRBY or PSETEX when admitted
-- Source  https://blog.cloudflare.com/counting-things-a-lot-of-different-things/
--
-- With e µs gone of the current window it admits iff previous·(window − e) + (current + cost)·window ≤
-- limit·window, in integers: a quotient that is rounded in between changes decisions. A counter lives until the
-- window after its own has ended. A clock that steps back goes on with the older window's count.
--
-- Note: one MGET for the two counters takes longer than two GETs, because its reply is a table.

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
    and limit and limit >= 1 and limit < 2147483648 and limit % 1 == 0
    and window and window >= 1 and window < 35184372088832 and window % 1 == 0) then
  return redis.error_reply('ERR sliding-window-counter: want now_us, cost, limit, window_us: whole numbers of at least 1, limit below 2^31, window below 2^45')
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
local form = ':%.0f'
if number < 2147483648 then form = ':%d' end -- takes half as long, and may be of 32 bits
local key = KEYS[1] .. string.format(form, number)
local found = redis.call('GET', key)
local current = (found or 0) + 0
local previous = (redis.call('GET', KEYS[1] .. string.format(form, number - 1)) or 0) + 0

-- What the previous window takes of the limit, rounded up. The sum is of integers, so that this changes nothing.
local weighed = 0
if previous > 0 then weighed = previous - share(previous, elapsed, window) end
local remaining = math.max(0, limit - current - weighed)

if cost <= remaining then
  if not found then
    redis.call('PSETEX', key, math.ceil((2 * window - elapsed) / 1000) + margin_ms, cost)
  elseif cost == 1 then
    redis.call('INCR', key)
  else
    redis.call('INCRBY', key, cost)
  end
  return {1, remaining - cost, 0, 2 * window - elapsed}
end

local reset = 0
if current > 0 then
  reset = 2 * window - elapsed
elseif weighed > 0 then
  reset = window - elapsed
end
if cost > limit then return {0, remaining, -1, reset} end

-- The instant at which the previous window weighs little enough: in this window, or, when the current count alone
-- leaves too little, in the next, in which it is the previous one.
local room = limit - current - cost
if room >= 0 then return {0, remaining, window - share(window, room, previous) - elapsed, reset} end
return {0, remaining, 2 * window - share(window, limit - cost, current) - elapsed, reset}
