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
-- So the server's clock decides: where it steps forward, the window ends early by as much, and where it steps back,
-- late. A limit that changes goes on with the count, and a window that changes counts once the open one is over.
--
-- Count and TTL are set by one command, so that no crash leaves a counter without its TTL; should another writer have
-- left one, it is given a window to live.
--
-- Note: INCR and a TTL alone, in two calls, would count rejected requests.

local cost, limit, window_ms = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
if not (cost and cost >= 1 and cost <= 9007199254740992 and cost % 1 == 0
    and limit and limit >= 1 and limit <= 4503599627370496 and limit % 1 == 0
    and window_ms and window_ms >= 1 and window_ms <= 4503599627370 and window_ms % 1 == 0) then
  return redis.error_reply('ERR fixed-window: want now_us, cost, limit, window_ms: whole numbers of at least 1')
end

local count = redis.call('GET', KEYS[1])
if not count then
  if cost > limit then return {0, limit, -1, 0} end
  redis.call('PSETEX', KEYS[1], window_ms, cost)
  return {1, limit - cost, 0, (window_ms + 1) * 1000}
end

count = tonumber(count)
local ttl = redis.call('PTTL', KEYS[1])
if ttl < 0 then
  redis.call('PEXPIRE', KEYS[1], window_ms)
  ttl = window_ms
end
local reset = (ttl + 1) * 1000
if count + cost <= limit then
  redis.call('INCRBY', KEYS[1], cost)
  return {1, limit - count - cost, 0, reset}
end
local retry = reset
if cost > limit then retry = -1 end
return {0, math.max(0, limit - count), retry, reset}
