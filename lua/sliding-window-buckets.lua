-- sliding-window-buckets: n aligned sub-windows for each window. The sum of those that touch (t − window, t], n + 1
-- at most, stays within the limit. It covers more than a window: admits at most limit permits in any interval
-- as long as a window; what the log rejects it rejects too, and rejects early by up to window/n.
--
-- State   KEYS[1]: a hash from the end of a sub-window in µs to the permits admitted in it, of at most n + 1 of them;
--         and 0: window_us
-- ARGV    now_us, cost, limit, window_us, n; n ≤ window_us, n ≤ 1000, window_us·n < 2^53
-- Reply   allowed, remaining, retry_after_us, reset_after_us
-- Cost    O(n): HGETALL, and O(n log n) when rejected; HSET when admitted, PEXPIRE with the first of a sub-window or
--         where the window has changed, HDEL when sub-windows have left
-- Source  https://www.figma.com/blog/an-alternative-approach-to-rate-limiting/ (as counters per sub-window)
--
-- Sub-window i of a window ends at ⌈i·window/n⌉ µs, so n need not divide the window. A sub-window that ends later than
-- the current one, because the clock stepped back or the sub-windows were longer, counts as the current one. That is
-- written at once, even if nothing is admitted. Where the clients pass the time, their clocks may be a second apart: a
-- request then counts in the latest sub-window seen.

local cost, limit, window, n = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local now, margin_ms = tonumber(ARGV[1]), 1000
if ARGV[1] == '' then
  local time = redis.call('TIME')
  now, margin_ms = time[1] * 1000000 + time[2], 0
end
local elapsed = now % window
local current = now - elapsed + math.ceil((math.floor(elapsed * n / window) + 1) * window / n)

local hash, latest = redis.call('HGETALL', KEYS[1]), current + 1000 * margin_ms
local counts, held, moved, dropped, length = {}, 0, 0, {}, window
for i = 1, #hash, 2 do
  local stop, count = hash[i] + 0, hash[i + 1] + 0 -- + 0 is short for tonumber, and saves 14 % of the steady path
  if stop == 0 then length = count elseif stop > now - window and stop <= latest then
    counts[stop], held = count, held + count
    if stop > current then current = stop end
  else
    dropped[#dropped + 1] = hash[i]
    if stop > latest then moved = moved + count end
  end
end
local opens = length ~= window or not counts[current]
if moved > 0 then counts[current], held = (counts[current] or 0) + moved, held + moved end

local allowed = held + cost <= limit
if allowed then moved = moved + cost end
if moved > 0 then
  if #dropped > 0 then redis.call('HDEL', KEYS[1], unpack(dropped)) end
  redis.call('HSET', KEYS[1], current, (counts[current] or 0) + (allowed and cost or 0), 0, ARGV[4])
  if opens then redis.call('PEXPIRE', KEYS[1], math.ceil((current + window - now) / 1000) + margin_ms) end
end
if allowed then return {1, limit - held - cost, 0, current + window - now} end

-- The request passes once as many permits as there are too many have left, the oldest first.
local surplus, retry, reset, ends = held + cost - limit, -1, 0, {}
for stop in pairs(counts) do ends[#ends + 1] = stop end
table.sort(ends)
for _, stop in ipairs(ends) do
  reset = stop + window - now
  if surplus > 0 and cost <= limit then retry = reset end
  surplus = surplus - counts[stop]
end
return {0, math.max(0, limit - held), retry, reset}
