-- gcra: the generic cell rate algorithm. Admits at most burst + r·τ permits in any interval of length τ, for the
-- rate r = l/w permits per µs; decides like a bucket of burst permits that refills continuously.
--
-- State   KEYS[1]: the theoretical arrival time (TAT), the instant at which the bucket will be full again, as
--         whole µs; where l > 1, as 16 digits, a blank, and 16 digits of the remainder in units of 1/l µs. No key: full.
-- ARGV    now_us, cost, burst, w, l: a permit comes back every w/l µs, a reduced fraction; burst·w + l < 2^53
-- Reply   allowed, remaining, retry_after_us, reset_after_us
-- Cost    O(1): GET, and when admitted PSETEX or SETEX; or INCRBY (SETRANGE where l > 1), where the bucket was not
--         full, the time is the server's, and the TAT stays within its second
-- Source  ITU-T I.371 (2004), annex A; https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm
--
-- The key expires once the TAT has passed, when losing it changes nothing. The TAT never moves back, so a clock
-- that steps back waits for as long as the step and gains nothing.
--
-- By the server's time, a key lives at least until the second in which its TAT lies is over. A TAT that moves on
-- within that second needs no new expiry: INCRBY and SETRANGE keep the old one, and cost less than half of a SET with
-- an expiry. (By the clients' time a key lives a second longer than its TAT, and so as long.)
--
-- Note: three that did not help. To write numbers by string.format('%d'): it saves 0.1 µs on Redis 7.0, which formats
-- them with %.17g, and costs 0.3 µs on 8.0. To check the arguments less: all checks take 0.1 µs. To let INCRBY
-- come first and take it back: a rejected request would write.

local cost, burst, w, l = 1, tonumber(ARGV[3]), tonumber(ARGV[4]), 1
if ARGV[2] ~= '1' then cost = tonumber(ARGV[2]) end -- the usual values without a call of tonumber
if ARGV[5] ~= '1' then l = tonumber(ARGV[5]) end
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
    and l and l >= 1 and l % 1 == 0 and burst * w + l < 9007199254740992) then
  return redis.error_reply('ERR gcra: want now_us, cost, burst, w, l: whole numbers of at least 1, burst*w + l below 2^53')
end

-- What is used up of the bucket takes wait µs and rest/l µs to come back. second is that of the old TAT, where the
-- state is written as this l has it.
local wait, rest, second = 0, 0, nil
local state = redis.call('GET', KEYS[1])
if state then
  local tat
  if #state == 33 then
    tat = tonumber(string.sub(state, 1, 16)) -- not + 0, to which 010 is 8 on the embedded server
    rest = tonumber(string.sub(state, 18))
  else
    tat = state + 0
  end
  if (#state == 33) == (l > 1) then second = tat - tat % 1000000 end
  if tat >= now then wait = tat - now else rest = 0 end
end

-- In units of 1/l µs. Where wait * l passes 2^53, long after the clock stepped back, it is rounded, and still more
-- than full.
local full, used, taken = burst * w, wait * l + rest, cost * w
local after = used + taken
if after <= full then
  rest = after % l
  wait = (after - rest) / l
  local reset = wait
  if rest > 0 then reset = wait + 1 end
  local tat = now + wait
  local kept = time and used > 0 and tat - tat % 1000000 == second
  if l > 1 then
    -- in two parts each, because %d may be of 32 bits, and %.0f takes twice as long
    local low, rest_low = tat % 1000000000, rest % 1000000000
    tat = string.format('%07d%09d %07d%09d', (tat - low) / 1000000000, low, (rest - rest_low) / 1000000000, rest_low)
    if kept then redis.call('SETRANGE', KEYS[1], '0', tat) end
  elseif kept then
    if cost == 1 then taken = ARGV[4] end -- a text, which 7.0 need not format
    redis.call('INCRBY', KEYS[1], taken)
  end
  if not time then
    redis.call('PSETEX', KEYS[1], math.ceil(reset / 1000) + 1000, tat)
  elseif not kept then
    redis.call('SETEX', KEYS[1], math.floor((now + wait) / 1000000) + 1 - time[1], tat)
  end
  return {1, math.floor((full - after) / w), 0, reset}
end

local reset = wait
if rest > 0 then reset = wait + 1 end
local remaining, retry = 0, -1
if used <= full then remaining = math.floor((full - used) / w) end
if cost <= burst then retry = wait - math.floor((full - taken - rest) / l) end
return {0, remaining, retry, reset}
