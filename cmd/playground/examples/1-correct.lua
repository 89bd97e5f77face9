-- A sliding log: correct
-- The log holds the instants of the permits that were admitted in the last window.
local window, limit, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
local used = redis.call('ZCARD', KEYS[1])
if used + cost > limit then
  local last = used + cost - limit - 1 -- of those that have to leave
  local at = redis.call('ZRANGE', KEYS[1], last, last, 'WITHSCORES')[2]
  return {0, limit - used, at and at + window - now or -1}
end
for i = 1, cost do
  redis.call('ZADD', KEYS[1], now, string.format('%.0f-%d', now, i))
end
redis.call('PEXPIRE', KEYS[1], math.ceil(window / 1000))
return {1, limit - used - cost, 0}
