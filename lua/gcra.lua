-- gcra: the generic cell rate algorithm. Admits at most burst + r·τ permits in any interval of length τ, for the
-- rate r = l/w permits per µs; decides like a bucket of burst permits that refills continuously.
--
-- State   KEYS[1]: the theoretical arrival time (TAT), the instant at which the bucket will be full again, in 16
--         digits of whole µs; where l > 1, a blank and 16 digits of the remainder in units of 1/l µs; a blank, and
--         the rate that it goes by, w or w/l. No key: full.
-- ARGV    now_us, cost, burst, w, l: a permit comes back every w/l µs, a reduced fraction; burst·w < 2^62,
--         (burst + 1)·l < 2^53 and burst·w/l ≤ 2^52 (always so up to a million a day, and a burst as large)
-- Reply   allowed, remaining, retry_after_us, reset_after_us
-- Cost    O(1): GET, and when admitted PSETEX or SETEX; or SETRANGE, where the bucket was not full, the time is the
--         server's, and the TAT stays within its second
-- Source  ITU-T I.371 (2004), annex A; https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm
--
-- The key expires once the TAT has passed, when losing it changes nothing. The TAT never moves back, so a clock
-- that steps back waits for as long as the step and gains nothing. The expiry is a margin, and lies on the server's
-- clock: where the clients pass the time, and the server's steps forward, the bucket is full early by as much; where
-- it steps back, the key stays longer, which changes nothing.
--
-- Where the rate has changed, as many permits are used up as were, and each takes its new time to come back: rounded
-- up to the microsecond, and no more than a whole bucket. This is written at once, even if nothing is admitted.
--
-- By the server's time, a key lives at least until the second in which its TAT lies is over. A TAT that moves on
-- within that second needs no new expiry: SETRANGE keeps the old one, for which the digits are padded. (By the clients'
-- time a key lives a second longer than its TAT, and each admission sets the expiry.)

local cost, burst, w, l = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local now, time
if ARGV[1] == '' then
  time = redis.call('TIME')
  now = time[1] * 1000000 + time[2]
else
  now = tonumber(ARGV[1])
end
if not (now and now >= 0 and now <= 4503599627370496 and now % 1 == 0
    and cost and cost >= 1 and cost <= 9007199254740992 and cost % 1 == 0
    and burst and burst >= 1 and burst % 1 == 0 and w and w >= 1 and w % 1 == 0
    and l and l >= 1 and l % 1 == 0
    and (burst * w + l < 9007199254740992 or burst * w < 4611686018427387904 and (burst + 1) * l < 9007199254740992
      and burst * w / l <= 4503599627370496)) then
  return redis.error_reply('ERR gcra: want now_us, cost, burst, w, l: whole numbers of at least 1, '
    .. 'burst*w below 2^62, burst*l below 2^53, burst*w/l up to 2^52')
end

-- What is used up of the bucket takes wait µs and rest/l µs to come back. second is that of the old TAT, where it goes
-- by this rate.
local wait, rest, second = 0, 0, nil
local state = redis.call('GET', KEYS[1])
local rate, at = ARGV[4], 18
if l > 1 then rate, at = rate .. '/' .. ARGV[5], 35 end
local changed = false
if state then
  -- By position, and string.match only where the rate has changed: saves a tenth of the rejected path at 1000/3s, by
  -- the clients' time
  local tat = tonumber(string.sub(state, 1, 16))
  if tat >= now then
    wait, changed = tat - now, string.sub(state, at) ~= rate
    if not changed then
      if l > 1 then rest = tonumber(string.sub(state, 18, 33)) end
      second = tat - tat % 1000000
    else
      -- As many permits as before, in their new time: rounded up to the microsecond, and no more than a whole bucket.
      local old_rest, old_w, old_l = string.match(state, '^%d+ (%d-) ?([^ /]+)/?([^ /]*)$')
      old_rest, old_l = tonumber(old_rest) or 0, tonumber(old_l) or 1
      wait = (wait + old_rest / old_l) * (old_l * w / (old_w * l))
      wait = math.min(math.ceil(wait), math.ceil(burst * w / l))
    end
  end
end

local full, before = burst * w, wait + rest
local fits, remaining, retry = false, 0, -1
if full + l < 9007199254740992 then
  -- In units of 1/l µs. Where wait * l passes 2^53, long after the clock stepped back, it is rounded, and still more
  -- than full.
  local used, taken = wait * l + rest, cost * w
  local after = used + taken
  fits = after <= full
  if fits then
    rest = after % l
    wait = (after - rest) / l
    remaining = math.floor((full - after) / w)
  else
    if used <= full then remaining = math.floor((full - used) / w) end
    if cost <= burst then retry = wait - math.floor((full - taken - rest) / l) end
  end
else
  -- In two words, whole µs and units of 1/l µs, because a full bucket is more than 2^53 of these.
  local w_part = w % l
  local w_whole = (w - w_part) / l
  local function time(permits)
    local parts = permits * w_part
    local part = parts % l
    return permits * w_whole + (parts - part) / l, part
  end
  local full_whole, full_part = time(burst)
  if cost <= burst then
    local taken, taken_part = time(cost)
    local after, after_part = wait + taken, rest + taken_part
    if after_part >= l then after, after_part = after + 1, after_part - l end
    fits = after < full_whole or after == full_whole and after_part <= full_part
    if fits then
      wait, rest = after, after_part
    else
      retry = wait + taken - full_whole - math.floor((full_part - taken_part - rest) / l)
    end
  end
  local whole, part = full_whole - wait, full_part - rest
  if part < 0 then whole, part = whole - 1, part + l end
  if whole >= 0 then
    remaining = math.floor((whole * l + part) / w) -- of a rounded product: one off at the most
    local much, much_part = time(remaining)
    if much > whole or much == whole and much_part > part then
      remaining = remaining - 1
    else
      much, much_part = time(remaining + 1)
      if much < whole or much == whole and much_part <= part then remaining = remaining + 1 end
    end
  end
end

local reset = wait
if rest > 0 then reset = wait + 1 end
if fits or changed then
  local tat = now + wait
  local text = string.format('%016.0f', tat)
  if l > 1 then text = text .. string.format(' %016.0f', rest) end
  -- SETRANGE saves 14 % of the burst path at 1000/3s
  if time and before > 0 and tat - tat % 1000000 == second then
    redis.call('SETRANGE', KEYS[1], '0', text)
  elseif time then
    redis.call('SETEX', KEYS[1], math.floor(tat / 1000000) + 1 - time[1], text .. ' ' .. rate)
  else
    redis.call('PSETEX', KEYS[1], math.ceil(reset / 1000) + 1000, text .. ' ' .. rate)
  end
end
if fits then return {1, remaining, 0, reset} end
return {0, remaining, retry, reset}
