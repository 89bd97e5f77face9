-- Moves the deadline of each of KEYS on by ARGV[1] ms; ARGV[2] is the one for a key that has none. Answers '-' for a key
-- that is not there, else ''.
local found = {}
for i, key in ipairs(KEYS) do
  local at = redis.call('PEXPIRETIME', key)
  if at == -2 then
    found[i] = '-'
  else
    redis.call('PEXPIREAT', key, at == -1 and ARGV[2] or string.format('%.0f', at + ARGV[1]))
    found[i] = ''
  end
end
return found
