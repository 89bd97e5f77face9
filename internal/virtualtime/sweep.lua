-- Inspects each of KEYS, and deletes the key if its virtual deadline lies before ARGV[1]. Otherwise reports the real
-- expiry as a string: -1 for no deadline, -2 for a missing key. ARGV[2] is the real expiry of keys without a virtual
-- deadline. Both arguments are real times in ms.
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
