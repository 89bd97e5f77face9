-- token-bucket-debt: as token-bucket-interval, but a request may take tokens in advance: it passes as long as the
-- balance is positive, the balance goes down to −debt, and later requests wait for it to recover. Admits at most
-- capacity + (largest cost − 1) + refill·⌈τ/interval⌉ permits in any interval of length τ.
--
-- State   KEYS[1]: last, the time in µs up to which intervals have been paid, the tokens, which may be negative, and
--         the interval in µs, with blanks between. No key: a full bucket, whose first interval starts now. It expires
--         when the bucket is full, and so the expiry is part of the rule.
-- ARGV    now_us, cost, capacity, refill, interval_us, debt (how far below zero the balance may go: 0 to capacity − 1)
-- Reply   allowed, remaining (what one request could take, on credit included), retry_after_us, reset_after_us
-- Cost    O(1): GET, and SET when admitted
-- Source  https://en.wikipedia.org/wiki/Token_bucket (refilled at fixed intervals); lending as in
--         https://pkg.go.dev/golang.org/x/time/rate (reservations)
--
-- A cost above the capacity is refused for good: with it, one request could put off the others for months. A last
-- that is later than now, because the clock stepped back, counts as now, and where the interval's length changes, the
-- part of it that has passed stays the same part. Both are written at once, even if nothing is admitted. Of a debt that
-- is larger than the new one may be, the rest is forgiven. Where the clients pass the time, their clocks may be a
-- second apart: last may be so much later than now.

local cost, capacity, refill = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local interval, debt, now, margin = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[1]), 1000000
if ARGV[1] == '' then
  local time = redis.call('TIME')
  now, margin = time[1] * 1000000 + time[2], 0
end

local tokens, last, changed = capacity, now, false
local state = redis.call('GET', KEYS[1])
if state then
  local paid, left, length = string.match(state, '(%d+) (-?%d+) (%d+)')
  local intervals = math.max(0, math.floor((now - paid) / length))
  tokens, last = math.min(capacity, math.max(-debt, left) + intervals * refill), paid + intervals * length
  changed = last > now + margin or tonumber(length) ~= interval
  if changed then last = now - math.max(0, math.floor((now - last) * interval / length)) end
end

local function available() return tokens > 0 and math.min(capacity, tokens + debt) or 0 end
local function wait(wanted) return last + math.ceil((wanted - tokens) / refill) * interval - now end
local allowed = cost <= available()
if allowed then tokens = tokens - cost end
if allowed or changed then
  local life = math.max(0, last - now) + math.ceil((capacity - tokens) / refill) * interval
  local life_ms = math.max(1, math.ceil(life / 1000))
  redis.call('SET', KEYS[1], string.format('%.0f %.0f %.0f', last, tokens, interval), 'PX', life_ms)
end

local retry, reset = -1, 0
if tokens < capacity then reset = wait(capacity) end
if allowed then return {1, available(), 0, reset} end
if cost <= capacity then retry = wait(math.max(1, cost - debt)) end
return {0, available(), retry, reset}
