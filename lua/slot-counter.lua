-- slot-counter: at most so many requests in flight, by a counter that each request raises and lowers. If a holder dies,
-- its slot stays taken: for ever, or until the counter expires and forgets all holders.
--
-- State   KEYS[1]: the number of requests in flight. It expires ttl after the last start; with ttl 0 it does not.
-- ARGV    now_us (not used), cost (not used), limit, ttl_us; at the end also release
-- Reply   allowed, remaining, retry_after_us (-1: unknown), reset_after_us; to release, 1, or 0 if the counter was gone
-- Cost    O(1): GET, and INCR and PEXPIRE when admitted
-- Source  https://redis.io/docs/latest/commands/incr/ (pattern: counter)

local limit, ttl_ms = tonumber(ARGV[3]), math.ceil(ARGV[4] / 1000)
local used = tonumber(redis.call('GET', KEYS[1]) or 0)
if ARGV[5] then
  if used == 0 then return 0 end
  redis.call('DECR', KEYS[1])
  return 1
end
if used >= limit then return {0, 0, -1, 0} end
redis.call('INCR', KEYS[1])
if ttl_ms > 0 then redis.call('PEXPIRE', KEYS[1], ttl_ms) end
return {1, limit - used - 1, 0, 0}
