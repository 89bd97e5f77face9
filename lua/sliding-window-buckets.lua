-- sliding-window-buckets: n aligned sub-windows for each window. The sum of those that touch (t − window, t], n + 1
-- at most, stays within the limit. It covers more than a window: admits at most limit permits in any interval
-- as long as a window; what the log rejects it rejects too, and rejects early by up to window/n.
--
-- State   KEYS[1]: a hash from a sub-window's number to the permits admitted in it, of at most n + 1 sub-windows, and
--         grid: window_us and n, with a blank between
-- ARGV    now_us, cost, limit, window_us, n; n ≤ window_us, n ≤ 1000, window_us·n < 2^53
-- Reply   allowed, remaining, retry_after_us, reset_after_us
-- Cost    O(n): HGETALL, and O(n log n) when rejected; HINCRBY when admitted, PEXPIRE with the first of a sub-window
--         (HSET for HINCRBY with the first of a key), HDEL when sub-windows have left
-- Source  https://www.figma.com/blog/an-alternative-approach-to-rate-limiting/ (as counters per sub-window)
--
-- Sub-window i of a window begins at ⌈i·window/n⌉ µs, so n need not divide the window. What has left is deleted on
-- admission only: a rejected request writes nothing. A clock that steps back counts in the latest sub-window seen.
-- The newest sub-window alone says when the hash may go, so that only its first request sets the expiry. That lies on
-- the server's clock, which is no rule here: where that clock steps forward, the counts go early by as much, and a
-- client whose clock did not step is let in anew; where it steps back, they stay, and no longer count.
--
-- Where window or n change, the old sub-windows count and leave as they did, until the first request that is admitted
-- carries their sum into the new grid.

local cost, limit, window, n = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local now, margin_ms
if ARGV[1] == '' then
  local time = redis.call('TIME')
  now, margin_ms = time[1] * 1000000 + time[2], 0
else
  now, margin_ms = tonumber(ARGV[1]), 1000
end
if not (now and now >= 0 and now <= 4503599627370496 and now % 1 == 0
    and cost and cost >= 1 and cost <= 9007199254740992 and cost % 1 == 0
    and limit and limit >= 1 and limit <= 4503599627370496 and limit % 1 == 0
    and window and window >= 1 and window % 1 == 0 and n and n >= 1 and n <= window and n <= 1000 and n % 1 == 0
    and window * n < 9007199254740992) then
  return redis.error_reply('ERR sliding-window-buckets: want now_us, cost, limit, window_us, n: '
    .. 'whole numbers of at least 1, n up to window_us and 1000, window_us*n below 2^53')
end

local hash, fields = {}, redis.call('HGETALL', KEYS[1])
for i = 1, #fields, 2 do hash[fields[i]] = fields[i + 1] end
local grid, other = ARGV[4] .. ' ' .. ARGV[5], hash.grid
if other == grid then other = nil end
hash.grid = nil

-- The sub-windows that are there: parts of them make span. until_begin is the time from now to the first µs of number.
local span, parts, elapsed, number
local function until_begin(number)
  local part = number % parts
  return ((number - part) / parts - (now - elapsed) / span) * span + math.ceil(part * span / parts) - elapsed
end
local function lay(window, n)
  span, parts, elapsed = window, n, now % window
  number = (now - elapsed) / span * parts + math.floor(elapsed * parts / span)
end

if other then
  local old_window, old_n = string.match(other, '(%d+) (%d+)')
  lay(tonumber(old_window), tonumber(old_n))
else
  lay(window, n)
end

local sum, newest, gone = 0, -1, {}
for field, count in pairs(hash) do
  -- + 0 for tonumber, here and below: saves 13 % of the steady path at 1000/3s
  local sub = field + 0
  if sub < number - parts then
    gone[#gone + 1] = field
  else
    sum = sum + count
    if sub > newest then newest = sub end
  end
end

if sum + cost <= limit then
  local carried = 0
  if other then
    redis.call('DEL', KEYS[1])
    lay(window, n)
    carried, newest = sum, -1
  elseif #gone > 0 then
    redis.call('HDEL', KEYS[1], unpack(gone))
  end
  local opens = newest < number
  newest = math.max(newest, number)
  local field, reset = string.format('%.0f', newest), until_begin(newest + n + 1)
  if other or not fields[1] then
    redis.call('HSET', KEYS[1], 'grid', grid, field, carried + cost)
  else
    redis.call('HINCRBY', KEYS[1], field, cost)
  end
  -- The first request of a sub-window sets the expiry, the others would set it to the same instant.
  if opens then redis.call('PEXPIRE', KEYS[1], math.ceil(reset / 1000) + margin_ms) end
  return {1, limit - sum - cost, 0, reset}
end

local remaining, reset = math.max(0, limit - sum), 0
if sum > 0 then reset = until_begin(newest + parts + 1) end
if cost > limit then return {0, remaining, -1, reset} end

-- Sub-window m leaves when m + parts + 1 begins; the request passes once enough have left. counts is indexed by age in
-- sub-windows, which is small.
local counts, subs = {}, {}
for field, count in pairs(hash) do
  local sub = field + 0
  if sub >= number - parts then
    counts[number - sub] = count + 0
    subs[#subs + 1] = sub
  end
end
table.sort(subs)
local i, staying = 1, sum - counts[number - subs[1]]
while staying + cost > limit do
  i = i + 1
  staying = staying - counts[number - subs[i]]
end
return {0, remaining, until_begin(subs[i] + parts + 1), reset}
