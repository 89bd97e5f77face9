-- Decides a batch of arrivals. The server's clock never steps back within a batch.
--
-- A[3] is the number of the first arrival in the run. A[4] has one digit for each varying element of KEYS and ARGV: 1
-- if the element is sent with each arrival, 0 if one value holds for the whole batch. Its last digit is 1 if the
-- clients' clocks differ from the server's. Then follow the first arrival's values of the varying elements, and the
-- elements that are equal in all batches.
--
-- The arrivals are last: the server's time in µs, the client's time if it differs, and the elements that are sent with
-- each arrival. An empty time announces a call of the init script, with all elements of that call.
--
-- The answers are in out, which has length n. If answers have a width, their elements are in out, and m is their
-- number: see keepCode.
local out, count = {}, #A

local function run()
  local n, m, p, first, out = 0, 0, 5, tonumber(A[3]), out
  --[[slots]]
  --[[once]]
  while p <= count do
    local answer
    now_s = A[p]
    p = p + 1
    if now_s == '' then
      --[[init]]
    else
      now = now_s + 0
      --[[assign]]
      if draws then reseed((first + n) * 69621 + now) end
      --[[decide]]
      --[[check]]
      --[[intact]]
      if refusal then error(refusal, 0) end
      --[[keep]]
    end
    --[[protocol]]
  end
  if written() then readonly() end
end

-- There is one pcall around the batch, not one around each arrival. An error still belongs to its arrival, and the
-- earlier answers are kept. (Measured: a pcall for each arrival costs a tenth.)
local ok, problem = xpcall(run, located)
--[[protocol]]
-- For each key: its deadline in virtual ms, or -1 without a deadline, or -2 if it is gone; and when it was missed, or
-- -1.
local changed, c = {}, 0
for key in pairs(look) do
  local last, at = dies[key]
  if last and last ~= huge then at = (last - 999) / 1000 + offset -- set or read by this EVAL
  else at = raw('PEXPIRETIME', key) end
  if at == -1 and keep then raw('PEXPIREAT', key, format('%.0f', keep)) end
  if at == keep then at = -1 elseif at >= 0 then at = at - offset end
  changed[c + 1], changed[c + 2], changed[c + 3] = key, at, missed[key] or -1
  c = c + 3
end
if ok then return {out, calls, changed} end
return {out, calls, changed, problem}
