-- Looks at each of KEYS: deletes it if its virtual deadline lies before ARGV[1] (both as real expiry, ms), else
-- reports its real expiry as a string; -1 without one, -2 when it is not there. ARGV[2] is the expiry of keys
-- that have no virtual deadline.
local found = {}
local now, keep = tonumber(ARGV[1]), tonumber(ARGV[2])
for i, key in ipairs(KEYS) do
  local at = redis.call('PEXPIRETIME', key)
  if at == keep then
    at = -1
  elseif at >= 0 and at < now then
    redis.call('DEL', key)
    at = -2
  end
  found[i] = string.format('%.0f', at)
end
return found
