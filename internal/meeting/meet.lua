-- One call of a member of a meeting. KEYS is the meeting, a hash; ARGV are the member's number, how many members there
-- are to be, its token, for how long the meeting is kept in ms, and the step: then
--   join    what they meet for
--   stay    nothing
--   say     the number of a round from 1 on, and a text
--   leave   why, or nothing where all is done, and for how long a member that is there may not be heard of, in ms
-- The reply is a word and what belongs to it. To who stays, says or joins it is, for each member, its token, for how
-- long it has not been heard of in ms, why it gave up, and what it said in the round.
local key, number, of, token, kept, step = KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local mine = redis.call('HGET', key, 'token:' .. number)
if step == 'join' then
  local purpose = redis.call('HMGET', key, 'of', 'what')
  if not purpose[1] then
    redis.call('HSET', key, 'of', of, 'what', ARGV[6], 'first', token)
  elseif mine ~= token and redis.call('HEXISTS', key, 'over') == 1 then
    return {'over'}
  elseif purpose[1] ~= of or purpose[2] ~= ARGV[6] then
    return {'other', purpose[1], purpose[2]}
  elseif mine and mine ~= token then
    return {'double'}
  end
  redis.call('HSET', key, 'token:' .. number, token)
elseif mine ~= token then
  return {'gone'}
end
if step == 'leave' then
  redis.call('HDEL', key, 'token:' .. number)
  redis.call('HSET', key, 'over', 1)
  if ARGV[6] ~= '' then
    redis.call('HSET', key, 'why:' .. number, ARGV[6])
  end
  for i = 1, tonumber(of) do
    local other = redis.call('HMGET', key, 'token:' .. i, 'heard:' .. i)
    if other[1] and now - (other[2] or now) <= tonumber(ARGV[7]) then
      return {'left'}
    end
  end
  redis.call('DEL', key)
  return {'left'}
end
redis.call('HSET', key, 'heard:' .. number, string.format('%.0f', now))
local said = ''
if step == 'say' then
  -- whoever is in the next round has read this one, and two rounds are kept
  said = 'said:' .. ARGV[6] % 2 .. ':'
  redis.call('HSET', key, said .. number, ARGV[6] .. ' ' .. ARGV[7])
end
redis.call('PEXPIRE', key, kept)
local reply = {'ok', redis.call('HGET', key, 'first')}
for i = 1, tonumber(of) do
  local of_it = redis.call('HMGET', key, 'token:' .. i, 'heard:' .. i, 'why:' .. i, said .. i)
  reply[#reply + 1] = of_it[1] or ''
  reply[#reply + 1] = string.format('%.0f', now - (of_it[2] or now))
  reply[#reply + 1] = of_it[3] or ''
  reply[#reply + 1] = of_it[4] or ''
end
return reply
