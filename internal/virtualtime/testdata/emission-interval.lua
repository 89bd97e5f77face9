-- The rule by which redis_rate v10 decides, written anew: the generic cell rate algorithm in floating-point seconds,
-- with TIME, GET and SET … EX. What a benchmark measures virtual time with does not change when our own scripts do.
-- ARGV: burst, requests, period in s, cost. Reply: allowed, remaining, retry after, reset after; the last two as text.

local burst, interval, cost = tonumber(ARGV[1]), ARGV[3] / ARGV[2], tonumber(ARGV[4])
local time = redis.call('TIME')
local now = (time[1] - 1483228800) + time[2] / 1000000

local tat = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now)
local after = tat + interval * cost
local room = now - (after - interval * burst)
local remaining = room / interval
if remaining < 0 then
  return {0, 0, tostring(-room), tostring(tat - now)}
end

local reset = after - now
if reset > 0 then redis.call('SET', KEYS[1], after, 'EX', math.ceil(reset)) end
return {cost, remaining, tostring(-1), tostring(reset)}
