-- token-bucket-interval: a bucket that gets refill tokens at the end of every whole interval, up to its capacity.
-- Admits at most capacity + refill·⌈τ/interval⌉ permits in any interval of length τ.
--
-- State   KEYS[1]: last, the time in µs up to which intervals have been paid, the tokens, the interval in µs, and for
--         how long after last the last admission was, with blanks between. No key: a full bucket, whose first
--         interval starts now. Its expiry is part of the rule: it ends ⌈capacity/refill⌉ intervals after the last
--         admitted request, when the bucket is full.
-- ARGV    now_us, cost, capacity, refill, interval_us
-- Reply   allowed, remaining, retry_after_us, reset_after_us
-- Cost    O(1): GET, and PSETEX when admitted
-- Source  https://en.wikipedia.org/wiki/Token_bucket (refilled at fixed intervals)
--
-- last moves on by whole intervals, never to now: a steady client would otherwise lose the fraction each time. Any
-- number of tokens is back after ⌈capacity/refill⌉ intervals from last, and last is at most the time of the last
-- admission; so a refill never comes after the expiry, and retry_after_us is the refill. Where a clock that stepped
-- back is behind last, the key lives longer by as much. The expiry lies on the server's clock: where that steps
-- forward, or is ahead of a client's and runs faster, the bucket is full early, by as much; where it steps back, late,
-- but no later than the refills come.
--
-- Where the interval's length changes, the first of the new ones begins at the last admission: no part of an old
-- interval is paid as many new ones.
--
-- Note: a hash of tokens and last takes three calls, one of which replies with a table.

local cost, capacity, refill = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local interval = tonumber(ARGV[5])
local now
if ARGV[1] == '' then
  local time = redis.call('TIME')
  now = time[1] * 1000000 + time[2]
else
  now = tonumber(ARGV[1])
end
if not (now and now >= 0 and now <= 4503599627370496 and now % 1 == 0
    and cost and cost >= 1 and cost <= 9007199254740992 and cost % 1 == 0
    and capacity and capacity >= 1 and capacity <= 4503599627370496 and capacity % 1 == 0
    and refill and refill >= 1 and refill <= 4503599627370496 and refill % 1 == 0
    and interval and interval >= 1 and interval % 1 == 0
    and math.ceil(capacity / refill) * interval <= 4503599627370496) then
  return redis.error_reply('ERR token-bucket-interval: want now_us, cost, capacity, refill, interval_us: '
    .. 'whole numbers of at least 1, filling within 2^52 us')
end

local tokens, last = capacity, now
local state = redis.call('GET', KEYS[1])
if state then
  local paid, left, length, since = string.match(state, '(%d+) (%d+) (%d+) (%d+)')
  last, tokens = tonumber(paid), tonumber(left)
  if tonumber(length) ~= interval then last = last + tonumber(since) end
  local intervals = math.max(0, math.floor((now - last) / interval))
  tokens = math.min(capacity, tokens + intervals * refill)
  last = last + intervals * interval
end

if cost <= tokens then
  tokens = tokens - cost
  local life = math.max(0, last - now) + math.ceil(capacity / refill) * interval
  redis.call('PSETEX', KEYS[1], math.ceil(life / 1000),
    string.format('%.0f %.0f %.0f %.0f', last, tokens, interval, math.max(0, now - last)))
  return {1, tokens, 0, last + math.ceil((capacity - tokens) / refill) * interval - now}
end

local retry, reset = -1, 0
if tokens < capacity then reset = last + math.ceil((capacity - tokens) / refill) * interval - now end
if cost <= capacity then retry = last + math.ceil((cost - tokens) / refill) * interval - now end
return {0, tokens, retry, reset}
