-- A sliding log: correct
-- The log holds the instants of what was admitted in the last window.
local now, window = tonumber(ARGV[1]), tonumber(ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
local used = redis.call('ZCARD', KEYS[1])
if used >= tonumber(ARGV[3]) then
  return {0, 0}
end
redis.call('ZADD', KEYS[1], now, ARGV[1] .. '-' .. used)
redis.call('PEXPIRE', KEYS[1], math.ceil(window / 1000))
return {1, tonumber(ARGV[3]) - used - 1}
