-- Off by one
-- The first request of a window reads nothing, and the last one reads the limit itself.
local n = tonumber(redis.call('GET', KEYS[1]) or 0)
if n > tonumber(ARGV[1]) then
  return 0
end
if redis.call('INCR', KEYS[1]) == 1 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 1
