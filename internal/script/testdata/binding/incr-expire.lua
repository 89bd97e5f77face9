-- The counter that everybody writes first: one number per client, which lives as long as the window.
-- Returns 1 for yes and 0 for no.
local count = redis.call('INCR', KEYS[1])
if count == 1 then
  redis.call('EXPIRE', KEYS[1], ARGV[2])
end
if count > tonumber(ARGV[1]) then
  return 0
end
return 1
