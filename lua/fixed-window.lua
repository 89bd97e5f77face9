-- fixed-window: a counter that lives for one window, which opens at its first admitted request. Admits at most
-- limit permits in a window, and so up to 2·limit − 1 in some interval as long as a window (a first request,
-- limit − 1 just before the expiry, and limit just after).
--
-- State   KEYS[1]: the permits admitted, as an integer. Its expiry is the rule: it ends the window.
-- ARGV    now_us (unused: the key's TTL is on the server's clock), cost, limit, window_ms (rounded up)
-- Reply   allowed, remaining, retry_after_us, reset_after_us (both tight to the millisecond: Redis keeps a key
--         while its clock, in ms, is at most the deadline)
-- Cost    O(1): GET, and PSETEX for the first of a window; else PTTL, and INCRBY when admitted
-- Source  https://redis.io/docs/latest/commands/incr/ (pattern: rate limiter)
--
-- Count and TTL are set by one command, so that no crash leaves a counter without its TTL. A counter that has none,
-- or a longer one than a window, because the server's clock stepped back or the window was shortened, gets a window.
--
-- Note: INCR and a TTL alone, in two calls, would count rejected requests.

local cost, limit, window_ms = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local count = tonumber(redis.call('GET', KEYS[1]) or 0)
local remaining = math.max(0, limit - count)
local allowed = cost <= remaining
if count == 0 and allowed then
  redis.call('PSETEX', KEYS[1], window_ms, cost)
  return {1, limit - cost, 0, (window_ms + 1) * 1000}
end
if count == 0 then return {0, limit, -1, 0} end

local ttl = redis.call('PTTL', KEYS[1])
if ttl < 0 or ttl > window_ms then
  redis.call('PEXPIRE', KEYS[1], window_ms)
  ttl = window_ms
end
local reset = (ttl + 1) * 1000
if allowed then
  redis.call('INCRBY', KEYS[1], cost)
  return {1, remaining - cost, 0, reset}
end
if cost > limit then return {0, remaining, -1, reset} end
return {0, remaining, reset, reset}
