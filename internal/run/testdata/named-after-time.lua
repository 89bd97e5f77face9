-- A sliding log whose entries are named after the server's time.
local t = redis.call('TIME')
local now, limit, window, cost = t[1] * 1000000 + t[2], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
if redis.call('ZCARD', KEYS[1]) + cost > limit then
  return 0
end
local text = string.format('%.0f', now)
for i = 1, cost do
  redis.call('ZADD', KEYS[1], text, text .. ':' .. i)
end
redis.call('PEXPIRE', KEYS[1], math.ceil(window / 1000))
return 1
