-- token-bucket-debt-tokens: token-bucket-debt for requests whose cost is known at their end. A start reserves tokens, and
-- the end settles them.
--
-- State   KEYS[1]: the time in µs up to which intervals have been paid, and the tokens, with a blank between. The tokens
--         are negative in debt. No key: a full bucket, whose first interval starts now.
-- ARGV    now_us, cost, capacity, refill, interval_us; to settle, also what was reserved: cost is then the actual cost
-- Reply   allowed, remaining, retry_after_us, reset_after_us; to settle, 1
-- Cost    O(1): GET, and SET when admitted or settled
-- Source  token-bucket-debt.lua
--
-- A start may leave a debt below the capacity. An end may leave any debt. A cost of 0 is admitted if any tokens are left.

local cost, capacity, refill, interval = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local now, reserved = tonumber(ARGV[1]), tonumber(ARGV[6])
if ARGV[1] == '' then
  local time = redis.call('TIME')
  now = time[1] * 1000000 + time[2]
end

local tokens, last = capacity, now
local state = redis.call('GET', KEYS[1])
if state then
  local paid, left = string.match(state, '(%d+) (-?%d+)')
  local intervals = math.max(0, math.floor((now - paid) / interval))
  tokens, last = math.min(capacity, left + intervals * refill), paid + intervals * interval
end

local function available() return tokens > 0 and math.min(capacity, tokens + capacity - 1) or 0 end
local function wait(wanted)
  if tokens >= wanted then return 0 end
  return last + math.ceil((wanted - tokens) / refill) * interval - now
end
local allowed = tokens > 0 and cost <= available()
if reserved then
  tokens = math.min(capacity, tokens + reserved - cost)
elseif allowed then
  tokens = tokens - cost
end
if allowed or reserved then
  local life = math.max(0, last - now) + math.ceil((capacity - tokens) / refill) * interval
  redis.call('SET', KEYS[1], string.format('%.0f %.0f', last, tokens), 'PX', math.max(1, math.ceil(life / 1000)))
end
if reserved then return 1 end

if allowed then return {1, available(), 0, wait(capacity)} end
return {0, available(), cost <= capacity and wait(math.max(1, cost - capacity + 1)) or -1, wait(capacity)}
