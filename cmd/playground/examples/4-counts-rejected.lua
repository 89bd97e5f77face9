-- A log that counts what it rejects
-- Whoever goes on asking is never admitted again.
local now, window = tonumber(ARGV[1]), tonumber(ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
redis.call('ZADD', KEYS[1], now, ARGV[1] .. '-' .. redis.call('ZCARD', KEYS[1]))
redis.call('PEXPIRE', KEYS[1], math.ceil(window / 1000))
return redis.call('ZCARD', KEYS[1]) <= tonumber(ARGV[3]) and 1 or 0
