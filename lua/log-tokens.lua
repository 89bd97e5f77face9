-- log-tokens: a sliding log of requests whose cost is known at their end. A start enters what it reserves, and the end
-- corrects the entry. An entry counts from its start on. Exact for costs that are known.
--
-- State   KEYS[1]: a sorted set with a member id:cost for each admitted request, by the time of its start in µs
-- ARGV    now_us, cost, limit, window_us, id; to settle, also what was reserved and the start in µs: cost is then the
--         actual cost
-- Reply   allowed, remaining, retry_after_us, reset_after_us; to settle, 1, or 0 if the entry has left the window
-- Cost    O(n) for n requests in the window
-- Source  https://redis.io/docs/latest/develop/data-types/sorted-sets/ (a log by time)
--
-- A cost of 0 is admitted if any tokens are left: then the end charges the whole cost.

local now, cost, limit, window = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
if ARGV[1] == '' then
  local time = redis.call('TIME')
  now = time[1] * 1000000 + time[2]
end
local member = ARGV[5] .. ':' .. ARGV[2]
if ARGV[6] then
  local before = ARGV[5] .. ':' .. ARGV[6]
  if not redis.call('ZSCORE', KEYS[1], before) then return 0 end
  redis.call('ZADD', KEYS[1], ARGV[7], member)
  if member ~= before then redis.call('ZREM', KEYS[1], before) end
  return 1
end

redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
local log, held = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES'), 0
for i = 1, #log, 2 do held = held + string.match(log[i], ':(%d+)') end
local last = tonumber(log[#log] or now - window)
if held + cost <= limit and held < limit then
  redis.call('ZADD', KEYS[1], now, member)
  redis.call('PEXPIRE', KEYS[1], math.ceil(window / 1000))
  return {1, limit - held - cost, 0, window}
end
local retry, left = -1, held
for i = 1, #log, 2 do
  left = left - string.match(log[i], ':(%d+)')
  if retry < 0 and left + cost <= limit and left < limit then retry = log[i + 1] + window - now end
end
if cost > limit then retry = -1 end
return {0, math.max(0, limit - held), retry, last + window - now}
