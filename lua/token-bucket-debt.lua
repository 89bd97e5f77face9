-- token-bucket-debt: a bucket that is refilled at whole intervals and lends. A request passes as long as the balance
-- is positive, and may take it below zero, down to −debt; the next ones wait until it has recovered. Admits at
-- most capacity + (largest cost − 1) + refill·⌈τ/interval⌉ permits in any interval of length τ.
--
-- State   KEYS[1]: last, the time in µs up to which intervals have been paid, the tokens, which may be negative, the
--         interval in µs, and for how long after last the last admission was, with blanks between. No key: a full
--         bucket, whose first interval starts now. Its expiry is part of the rule: it ends
--         ⌈(capacity − tokens)/refill⌉ intervals after the last admitted request, when the bucket is full.
-- ARGV    now_us, cost, capacity, refill, interval_us, debt (0 to capacity − 1)
-- Reply   allowed, remaining (what one request could take, on credit included), retry_after_us, reset_after_us
-- Cost    O(1): GET, and PSETEX when admitted
-- Source  https://en.wikipedia.org/wiki/Token_bucket (refilled at fixed intervals); lending as in
--         https://pkg.go.dev/golang.org/x/time/rate (reservations)
--
-- A cost above the capacity is refused for good: with it, one request could put off the others for months. A refill
-- never comes after the expiry, for the reason that token-bucket-interval gives. The expiry lies on the server's
-- clock: where that steps forward, the bucket is full, and a debt forgiven, early by as much; where it steps back,
-- late, but no later than the refills come.
--
-- Where the interval's length changes, the first of the new ones begins at the last admission: no part of an old
-- interval is paid as many new ones. Of a debt that is larger than the new one may be, the rest is forgiven.

local cost, capacity, refill = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local interval, debt = tonumber(ARGV[5]), tonumber(ARGV[6])
local now
if ARGV[1] == '' then
  local time = redis.call('TIME')
  now = time[1] * 1000000 + time[2]
else
  now = tonumber(ARGV[1])
end
if not (now and now >= 0 and now <= 4503599627370496 and now % 1 == 0
    and cost and cost >= 1 and cost <= 9007199254740992 and cost % 1 == 0
    and capacity and capacity >= 1 and capacity <= 2251799813685248 and capacity % 1 == 0
    and refill and refill >= 1 and refill <= 4503599627370496 and refill % 1 == 0
    and interval and interval >= 1 and interval % 1 == 0
    and debt and debt >= 0 and debt < capacity and debt % 1 == 0
    and math.ceil((capacity + debt) / refill) * interval <= 4503599627370496) then
  return redis.error_reply('ERR token-bucket-debt: want now_us, cost, capacity, refill, interval_us: '
    .. 'whole numbers of at least 1, debt 0 to capacity - 1, filling within 2^52 us')
end

local tokens, last = capacity, now
local state = redis.call('GET', KEYS[1])
if state then
  local paid, left, length, since = string.match(state, '(%d+) (-?%d+) (%d+) (%d+)')
  last, tokens = tonumber(paid), math.max(-debt, tonumber(left))
  if tonumber(length) ~= interval then last = last + tonumber(since) end
  local intervals = math.max(0, math.floor((now - last) / interval))
  tokens = math.min(capacity, tokens + intervals * refill)
  last = last + intervals * interval
end
local remaining = 0
if tokens > 0 then remaining = math.min(capacity, tokens + debt) end

if cost <= remaining then
  tokens = tokens - cost
  remaining = 0
  if tokens > 0 then remaining = math.min(capacity, tokens + debt) end
  local filling = math.ceil((capacity - tokens) / refill) * interval
  redis.call('PSETEX', KEYS[1], math.ceil((math.max(0, last - now) + filling) / 1000),
    string.format('%.0f %.0f %.0f %.0f', last, tokens, interval, math.max(0, now - last)))
  return {1, remaining, 0, last + filling - now}
end

local retry, reset = -1, 0
if tokens < capacity then reset = last + math.ceil((capacity - tokens) / refill) * interval - now end
if cost <= capacity then
  local wanted = math.max(1, cost - debt)
  retry = last + math.ceil((wanted - tokens) / refill) * interval - now
end
return {0, remaining, retry, reset}
