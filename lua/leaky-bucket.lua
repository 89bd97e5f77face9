-- leaky-bucket: a queue of burst places that lets one permit leave every w/l µs. A request is admitted with the
-- delay after which it leaves, or rejected when the queue has no room for it. The one that is leaving counts, so a
-- delay is at most (burst − 1)·w/l.
--
-- State   KEYS[1]: the next free departure as whole µs; where l > 1, followed by a blank and the remainder in units
--         of 1/l µs. No key: an empty queue.
-- ARGV    now_us, cost, burst, w, l: a permit leaves every w/l µs, a reduced fraction; burst·w + l < 2^53
-- Reply   allowed, remaining, retry_after_us, reset_after_us, delay_us (rounded up to the microsecond)
-- Cost    O(1): GET, and SET when admitted
-- Source  J. Turner, New directions in communications, IEEE Communications Magazine 24(10), 1986;
--         https://en.wikipedia.org/wiki/Leaky_bucket (as a queue)
--
-- Admits what gcra admits, and says when each leaves. The key expires once the queue is empty.

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
  return redis.error_reply('ERR leaky-bucket: want now_us, cost, burst, w, l: whole numbers of at least 1, burst*w + l below 2^53')
end

-- Until the next free departure it is wait µs and rest/l µs.
local wait, rest = 0, 0
local state = redis.call('GET', KEYS[1])
if state then
  local departure = tonumber(state)
  if not departure then
    local whole, part = string.match(state, '^(%d+) (%d+)$')
    departure, rest = tonumber(whole), tonumber(part)
  end
  if departure >= now then wait = departure - now else rest = 0 end
end
local delay = wait
if rest > 0 then delay = wait + 1 end

-- In units of 1/l µs. Where wait * l passes 2^53, long after the clock stepped back, it is rounded, and still more
-- than full.
local full, used = burst * w, wait * l + rest
local after = used + cost * w
if after <= full then
  rest = after % l
  wait = (after - rest) / l
  local reset = wait
  if rest > 0 then reset = wait + 1 end
  local departure = now + wait
  if l > 1 then departure = string.format('%.0f %.0f', departure, rest) end
  redis.call('SET', KEYS[1], departure, 'PX', math.ceil(reset / 1000) + margin_ms)
  return {1, math.floor((full - after) / w), 0, reset, delay}
end

local remaining, retry = 0, -1
if used <= full then remaining = math.floor((full - used) / w) end
if cost <= burst then retry = wait - math.floor((full - cost * w - rest) / l) end
return {0, remaining, retry, delay, 0}
