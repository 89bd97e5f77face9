-- fixed-window-aligned-atomic: fixed-window-aligned with several limits in one call. It charges all limits, or none if
-- one of them refuses.
--
-- State   KEYS[i]: as KEYS[1] of fixed-window-aligned.lua, for limit i
-- ARGV    now_us, then cost, limit, window_us for each limit
-- Reply   allowed, remaining, retry_after_us, reset_after_us, 0, refused: the sum of 2^(i-1) for each limit i that
--         refuses. The figures of a rejection are those of the limits that refuse; the client waits for the last of them
-- Cost    O(n) for n limits: n times HMGET, and n times HINCRBY when admitted
-- Source  fixed-window-aligned.lua
--
-- In a cluster, all keys need one hash tag. A rejection writes nothing.

local now, margin_ms = tonumber(ARGV[1]), 1000
if ARGV[1] == '' then
  local time = redis.call('TIME')
  now, margin_ms = time[1] * 1000000 + time[2], 0
end

local field, count, opens, changed = {}, {}, {}, {}
local refused, remaining, retry, reset = 0, 9007199254740992, 0, 0
for i = 1, #KEYS do
  local cost, limit, window = tonumber(ARGV[3 * i - 1]), tonumber(ARGV[3 * i]), tonumber(ARGV[3 * i + 1])
  local left = window - now % window
  field[i] = string.format('%016.0f', now + left - window)
  local state = redis.call('HMGET', KEYS[i], field[i], 'window')
  local used, length = state[1] or 0, tonumber(state[2] or window)
  opens[i], changed[i] = not state[1], length ~= window
  if changed[i] then used = redis.call('HGET', KEYS[i], string.format('%016.0f', now - now % length)) or 0 end
  count[i] = used + cost
  if count[i] > limit then
    refused, remaining = refused + 2 ^ (i - 1), math.min(remaining, math.max(0, limit - used))
    if count[i] > cost then reset = math.max(reset, left) end
    if cost > limit then retry = -1 end
    if retry >= 0 then retry = math.max(retry, left) end
  end
end
if refused > 0 then return {0, remaining, retry, reset, 0, refused} end

for i = 1, #KEYS do
  local limit, window = tonumber(ARGV[3 * i]), tonumber(ARGV[3 * i + 1])
  if changed[i] then redis.call('DEL', KEYS[i]) end
  if opens[i] or changed[i] then -- the window opens
    local fields = redis.call('HKEYS', KEYS[i])
    table.sort(fields)
    if #fields > 16 then redis.call('HDEL', KEYS[i], fields[1]) end
  end
  redis.call('HSET', KEYS[i], field[i], count[i], 'window', ARGV[3 * i + 1])
  if opens[i] or changed[i] then redis.call('PEXPIRE', KEYS[i], math.ceil(2 * window / 1000) + margin_ms) end
  remaining, reset = math.min(remaining, limit - count[i]), math.max(reset, window - now % window)
end
return {1, remaining, 0, reset, 0, 0}
