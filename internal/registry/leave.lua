-- Deletes a run's entry: KEYS are the index and the entry, ARGV the run's id and, where that is not empty, the end that
-- it must still have: a run that was taken for dead and has moved it on since keeps its entry.
local stop = redis.call('ZSCORE', KEYS[1], ARGV[1])
if ARGV[2] == '' or stop and tonumber(stop) == tonumber(ARGV[2]) then
  redis.call('ZREM', KEYS[1], ARGV[1])
  redis.call('DEL', KEYS[2])
end
