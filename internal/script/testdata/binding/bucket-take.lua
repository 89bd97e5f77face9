-- Takes ARGV[1] tokens from the bucket that bucket-fill.lua has set up; the client says what time it is.
-- Returns {"OK" or "LIMITED", tokens left, seconds to wait as text, for they have a fraction}.
local bucket = redis.call('HMGET', KEYS[1], 'tokens', 'at', 'rate', 'size')
local cost, now = tonumber(ARGV[1]), tonumber(ARGV[2])
local rate, size = tonumber(bucket[3]), tonumber(bucket[4])
local tokens = math.min(size, bucket[1] + (now - bucket[2]) * rate / 1000)
if tokens < cost then
  return {'LIMITED', math.floor(tokens), string.format('%.17g', (cost - tokens) / rate)}
end
redis.call('HSET', KEYS[1], 'tokens', string.format('%.17g', tokens - cost), 'at', ARGV[2])
return {'OK', math.floor(tokens - cost), '0'}
