-- GCRA, the rule of redis_rate
-- The key holds when the bucket will be full again, in seconds on the server's clock.
local burst, rate, period, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local interval = period / rate
local clock = redis.call('TIME')
local now = tonumber(clock[1]) + tonumber(clock[2]) / 1000000
local full = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now) + interval * cost
local room = now - (full - interval * burst)
if room < 0 then
  return {0, 0, string.format('%.6f', -room)}
end
redis.call('SET', KEYS[1], string.format('%.6f', full), 'EX', math.ceil(full - now))
return {cost, math.floor(room / interval), '-1'}
