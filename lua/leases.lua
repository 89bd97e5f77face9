-- leases: at most so many requests in flight. Each request holds a lease, which ends with the request, or when its time
-- is over. A holder may renew it.
--
-- State   KEYS[1]: a sorted set with the id of each holder, by the end of its lease in µs
-- ARGV    now_us, cost (not used), limit, ttl_us, id; at the end also release, and to renew also renew
-- Reply   allowed, remaining, retry_after_us (at the latest), reset_after_us; to release or renew, 1, or 0 if the lease
--         was over
-- Cost    O(log n) for n holders: ZREMRANGEBYSCORE, ZCARD, and ZADD and PEXPIRE when admitted
-- Source  https://redis.io/docs/latest/develop/data-types/sorted-sets/ (a set of holders by time)

local now, limit, ttl, id = tonumber(ARGV[1]), tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5]
if ARGV[1] == '' then
  local time = redis.call('TIME')
  now = time[1] * 1000000 + time[2]
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if ARGV[6] == 'release' then return redis.call('ZREM', KEYS[1], id) end
if ARGV[6] == 'renew' and not redis.call('ZSCORE', KEYS[1], id) then return 0 end

local used = redis.call('ZCARD', KEYS[1])
if ARGV[6] == 'renew' or used < limit then
  redis.call('ZADD', KEYS[1], now + ttl, id)
  redis.call('PEXPIRE', KEYS[1], math.ceil(ttl / 1000))
  if ARGV[6] == 'renew' then return 1 end
  return {1, limit - used - 1, 0, ttl}
end
local ends = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
return {0, 0, ends[2] - now, ends[#ends] - now}
