-- Writes a run's entry, or moves its end on: KEYS are the index and the entry, ARGV the run's id, for how long it
-- promises to live and for how long the entry is kept, in ms, then the fields and values of the entry. The index is
-- written first: where its name is taken by something else, this is an error before anything has been written.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local stop = string.format('%.0f', now + ARGV[2])
redis.call('ZADD', KEYS[1], stop, ARGV[1])
redis.call('HSETNX', KEYS[2], 'began', string.format('%.0f', now))
redis.call('HSET', KEYS[2], 'end', stop, unpack(ARGV, 4))
redis.call('PEXPIRE', KEYS[2], ARGV[3])
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[3]) then
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
end
