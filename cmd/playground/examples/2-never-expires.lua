-- INCR without EXPIRE
-- Nothing ever resets the counter.
local n = redis.call('INCR', KEYS[1])
return n <= tonumber(ARGV[1]) and 1 or 0
