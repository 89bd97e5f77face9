-- A bucket of limit permits that refills continuously. What is used is counted in permits times the window, and the
-- limit that it goes by is kept beside it.
local now, limit, window = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local state = redis.call('HMGET', KEYS[1], 'used', 'at', 'limit')
local used = 0
if state[1] then
  used = math.max(0, tonumber(state[1]) - (now - tonumber(state[2])) * tonumber(state[3]))
  if tonumber(state[3]) ~= limit then
    -- changed
  end
end
local allowed = 0
if used + window <= limit * window then
  used, allowed = used + window, 1
end
redis.call('HSET', KEYS[1], 'used', used, 'at', now, 'limit', limit)
redis.call('PEXPIRE', KEYS[1], math.ceil(used / limit / 1000) + 1)
return allowed
