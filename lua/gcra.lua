-- gcra: the generic cell rate algorithm. Admits at most burst + r·τ permits in any interval of length τ, for the
-- rate r = l/w permits per µs; decides like a bucket of burst permits that refills continuously.
--
-- State   KEYS[1]: the theoretical arrival time (TAT), the instant at which the bucket will be full again, as
--         whole µs; where l > 1, followed by a blank and the remainder in units of 1/l µs. No key: full.
-- ARGV    now_us, cost, burst, w, l: a permit comes back every w/l µs, a reduced fraction; burst·w + l < 2^53
-- Reply   allowed, remaining, retry_after_us, reset_after_us
-- Cost    O(1): GET, and SET when admitted
-- Source  ITU-T I.371 (2004), annex A; https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm
--
-- The key expires once the TAT has passed, when losing it changes nothing. The TAT never moves back, so a clock
-- that steps back waits for as long as the step and gains nothing.

local now, cost, burst = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local w, l = tonumber(ARGV[4]), tonumber(ARGV[5])
local margin_ms = 1000
if ARGV[1] == '' then
  local time = redis.call('TIME')
  now, margin_ms = time[1] * 1000000 + time[2], 0
end
if not (now and now >= 0 and now <= 4503599627370496 and now % 1 == 0
    and cost and cost >= 1 and cost <= 9007199254740992 and cost % 1 == 0
    and burst and burst >= 1 and burst % 1 == 0 and w and w >= 1 and w % 1 == 0
    and l and l >= 1 and l % 1 == 0 and burst * w + l < 9007199254740992) then
  return redis.error_reply('ERR gcra: want now_us, cost, burst, w, l: whole numbers of at least 1, burst*w + l below 2^53')
end

-- What is used up of the bucket takes wait µs and rest/l µs to come back.
local wait, rest = 0, 0
local state = redis.call('GET', KEYS[1])
if state then
  local tat = tonumber(state)
  if not tat then
    local whole, part = string.match(state, '^(%d+) (%d+)$')
    tat, rest = tonumber(whole), tonumber(part)
  end
  if tat >= now then wait = tat - now else rest = 0 end
end

-- In units of 1/l µs. Where wait * l passes 2^53, long after the clock stepped back, it is rounded, and still more
-- than full.
local full, used = burst * w, wait * l + rest
local after = used + cost * w
if after <= full then
  rest = after % l
  wait = (after - rest) / l
  local reset = wait
  if rest > 0 then reset = wait + 1 end
  local tat = now + wait
  if l > 1 then tat = string.format('%.0f %.0f', tat, rest) end
  redis.call('SET', KEYS[1], tat, 'PX', math.ceil(reset / 1000) + margin_ms)
  return {1, math.floor((full - after) / w), 0, reset}
end

local reset = wait
if rest > 0 then reset = wait + 1 end
local remaining, retry = 0, -1
if used <= full then remaining = math.floor((full - used) / w) end
if cost <= burst then retry = wait - math.floor((full - cost * w - rest) / l) end
return {0, remaining, retry, reset}
