-- token-bucket-interval: a bucket that gets refill tokens at the end of every whole interval, up to its capacity.
-- Admits at most capacity + refill·⌈τ/interval⌉ permits in any interval of length τ.
--
-- State   KEYS[1]: last, the time in µs up to which intervals have been paid, the tokens, and the interval in µs, with
--         blanks between. No key: a full bucket, whose first interval starts now. Its expiry is part of the rule: it
--         ends ⌈capacity/refill⌉ intervals after the last admitted request, when the bucket is full.
-- ARGV    now_us, cost, capacity, refill, interval_us
-- Reply   allowed, remaining, retry_after_us, reset_after_us
-- Cost    O(1): GET, and SET when admitted
-- Source  https://en.wikipedia.org/wiki/Token_bucket (refilled at fixed intervals)
--
-- last moves on by whole intervals, never to now: a steady client would otherwise lose the fraction each time. A last
-- that is later than now, because the clock stepped back, counts as now, and where the interval's length changes, the
-- part of it that has passed stays the same part. Both are written at once, even if nothing is admitted. Where the
-- clients pass the time, their clocks may be a second apart: last may be so much later than now.
--
-- Note: a hash of tokens and last takes three calls, one of which replies with a table.

local cost, capacity, refill = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local interval, now, margin = tonumber(ARGV[5]), tonumber(ARGV[1]), 1000000
if ARGV[1] == '' then
  local time = redis.call('TIME')
  now, margin = time[1] * 1000000 + time[2], 0
end

local tokens, last, changed = capacity, now, false
local state = redis.call('GET', KEYS[1])
if state then
  local paid, left, length = string.match(state, '(%d+) (%d+) (%d+)')
  local intervals = math.max(0, math.floor((now - paid) / length))
  tokens, last = math.min(capacity, left + intervals * refill), paid + intervals * length
  changed = last > now + margin or tonumber(length) ~= interval
  if changed then last = now - math.max(0, math.floor((now - last) * interval / length)) end
end

local allowed = cost <= tokens
if allowed then tokens = tokens - cost end
if allowed or changed then
  local life = math.max(0, last - now) + math.ceil(capacity / refill) * interval
  redis.call('SET', KEYS[1], string.format('%.0f %.0f %.0f', last, tokens, interval), 'PX', math.ceil(life / 1000))
end

local function wait(wanted) return last + math.ceil((wanted - tokens) / refill) * interval - now end
local retry, reset = -1, 0
if tokens < capacity then reset = wait(capacity) end
if allowed then return {1, tokens, 0, reset} end
if cost <= capacity then retry = wait(cost) end
return {0, tokens, retry, reset}
