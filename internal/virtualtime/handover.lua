-- Gives each of KEYS its virtual deadline, which is ARGV[1] ms before its real one; one that is past deletes the key.
-- ARGV[2] is the expiry of keys that have no virtual deadline, which they keep. Answers '-' for a key that is not there,
-- else ''.
local found = {}
local keep = tonumber(ARGV[2])
for i, key in ipairs(KEYS) do
  local at = redis.call('PEXPIRETIME', key)
  found[i] = at == -2 and '-' or ''
  if at >= 0 and at ~= keep then
    redis.call('PEXPIREAT', key, string.format('%.0f', at - ARGV[1]))
  end
end
return found
