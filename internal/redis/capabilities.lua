-- Answers an empty list where everything is there, {'old'} for a server before 7.0, {'unknown', …} with the commands
-- that the server does not know under their names (rename-command), otherwise the commands that the user's ACL denies.
-- Writes and deletes KEYS[1], so that a read-only or full server says so now. One command of each kind stands for its
-- kind: the built-in scripts keep strings, hashes, lists and sets.
local key = KEYS[1]
if not redis.acl_check_cmd or not pcall(redis.acl_check_cmd, 'pexpiretime', key) then
  return {'old'}
end
local wanted = {
  {'get', key}, {'set', key, '1'}, {'incrby', key, '1'}, {'del', key}, {'exists', key},
  {'pexpire', key, '1'}, {'pexpireat', key, '1'}, {'pttl', key}, {'pexpiretime', key}, {'type', key},
  {'hget', key, 'f'}, {'hset', key, 'f', '1'}, {'rpush', key, '1'}, {'lpop', key},
  {'zadd', key, '1', 'm'}, {'zremrangebyscore', key, '0', '1'}, {'sadd', key, 'm'},
  {'unlink', key},
  {'time'}, {'scan', '0'}, {'evalsha', '0', '1', key}, {'script', 'load', '0'},
}
local denied, unknown = {}, {'unknown'}
for _, command in ipairs(wanted) do
  local known, allowed = pcall(redis.acl_check_cmd, unpack(command))
  if not known then
    unknown[#unknown + 1] = command[1]
  elseif not allowed then
    denied[#denied + 1] = command[1]
  end
end
if #unknown > 1 then
  return unknown
end
if #denied == 0 then
  redis.call('SET', key, '1', 'PX', '1000')
  redis.call('DEL', key)
end
return denied
