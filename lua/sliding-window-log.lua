-- sliding-window-log: remembers every admitted request for one window. Admits at most limit permits in any
-- interval (t − window, t], exactly; the reference that the others are held against.
--
-- State   KEYS[1]: a LIST c0, t1, c1, t2, c2 … tn, cn of at most limit requests: t is a time in µs, c a running count
--         of permits modulo 2^31, so that cn − c0 is what the log holds, and dropping the oldest request means
--         dropping the two leftmost elements. 10 to 17 bytes a request.
-- ARGV    now_us, cost, limit (below 2^31), window_us
-- Reply   allowed, remaining, retry_after_us, reset_after_us
-- Cost    two LRANGEs; RPUSH and PEXPIRE when admitted, LTRIM when something has left; O(log n) LINDEXes when more
--         than one request has left, or when more than one must leave for a retry
-- Source  https://www.figma.com/blog/an-alternative-approach-to-rate-limiting/ (as "sliding window log")
--
-- Requests that have left are dropped on admission only: a rejected one writes nothing. A clock that steps back
-- records the last time again, so that the list stays sorted and nothing leaves early. The expiry lies on the server's
-- clock, which is no rule here: where that clock steps forward, the log goes early by as much, and a client whose
-- clock did not step is let in anew.
--
-- Where the window becomes longer, what had left the shorter one before the last admission is forgotten.
--
-- Note: a ZSET with the time as its score is the usual layout. It needs a unique member for each request (two in
-- one µs would be one), sums costs only by reading all of them, and took 118 KB for 1,000 requests where this
-- list took 13 KB (10 KB without the counts).

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
    and window and window >= 1 and window <= 4503599627370496 and window % 1 == 0) then
  return redis.error_reply('ERR sliding-window-log: want now_us, cost, limit, window_us: whole numbers of at least 1, '
    .. 'limit below 2^31')
end

local head = redis.call('LRANGE', KEYS[1], 0, 3)
if not head[1] then
  if cost > limit then return {0, limit, -1, 0} end
  redis.call('RPUSH', KEYS[1], 0, now, cost)
  redis.call('PEXPIRE', KEYS[1], math.ceil(window / 1000) + margin_ms)
  return {1, limit - cost, 0, window}
end
local tail = redis.call('LRANGE', KEYS[1], -2, -1)
local last, total = tonumber(tail[1]), tonumber(tail[2])

-- gone: how many requests have left the window. Searched for by doubling steps, then by halves.
local horizon = now - window
local gone, base, oldest = 0, head[1], tonumber(head[2])
if last <= horizon then
  gone, base, oldest = -1, total, nil
elseif oldest <= horizon then
  local low, step = 1, 1
  local high = 2
  local probe = tonumber(head[4])
  while probe <= horizon do
    low, step = high, step * 2
    high = low + step
    probe = tonumber(redis.call('LINDEX', KEYS[1], 2 * high - 1) or last)
  end
  -- request low has left; request high has not, or is beyond the end
  while high - low > 1 do
    local middle = math.floor((low + high) / 2)
    local at = redis.call('LINDEX', KEYS[1], 2 * middle - 1)
    if at and tonumber(at) <= horizon then low = middle else high = middle end
  end
  gone, base = low, head[3]
  if low > 1 then base = redis.call('LINDEX', KEYS[1], 2 * low) end
end
local held = (total - base) % 2147483648

if held + cost <= limit then
  local at = now
  if gone < 0 then
    redis.call('DEL', KEYS[1])
    redis.call('RPUSH', KEYS[1], 0, at, cost)
  else
    if gone > 0 then redis.call('LTRIM', KEYS[1], 2 * gone, -1) end
    if last > at then at = last end
    redis.call('RPUSH', KEYS[1], at, (total + cost) % 2147483648)
  end
  redis.call('PEXPIRE', KEYS[1], math.ceil((at + window - now) / 1000) + margin_ms)
  return {1, limit - held - cost, 0, at + window - now}
end

local reset = 0
if gone >= 0 then reset = last + window - now end
local remaining = math.max(0, limit - held) -- a limit that was lowered can be below what is held
if cost > limit then return {0, remaining, -1, reset} end

-- The request passes once the first low to high requests have left. Each took at least one permit, so that no more
-- than surplus of them need to.
local surplus = held + cost - limit
local low, high = gone, gone + surplus
while high - low > 1 do
  local middle = math.floor((low + high) / 2)
  local count = redis.call('LINDEX', KEYS[1], 2 * middle)
  if count and (count - base) % 2147483648 < surplus then low = middle else high = middle end
end
local at = redis.call('LINDEX', KEYS[1], 2 * high - 1)
return {0, remaining, at + window - now, reset}
