-- A batch of arrivals, between which the server's clock never steps back. A[3] is the first one's number in the run.
-- A[4] has a 1 for each element of KEYS and ARGV that travels with its arrival and a 0 for one that holds for the whole
-- batch, and at its end a 1 where the clients' clocks are not the server's. Those follow, then those that hold for all
-- batches, and then the arrivals: the server's time in µs, the client's where it is another one, and what travels. An
-- empty time announces a call of the init script, with all of its elements.
--
-- The answers stand in out, whose length is n; or their elements do, m of them: see keepCode.
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

-- One pcall around the batch instead of one around each arrival: an error still belongs to its arrival, and the
-- answers before it are kept. (Measured: a pcall for each arrival costs a tenth.)
local ok, problem = xpcall(run, located)
--[[protocol]]
-- Of each key: its deadline in virtual ms, -1 without one, -2 where it is gone; and when it was missed, or -1.
local changed, c = {}, 0
for key in pairs(look) do
  local last, at = dies[key]
  if last and last ~= huge then at = (last - 999) / 1000 + offset -- set by this EVAL, or read
  else at = raw('PEXPIRETIME', key) end
  if at == -1 and keep then raw('PEXPIREAT', key, format('%.0f', keep)) end
  if at == keep then at = -1 elseif at >= 0 then at = at - offset end
  changed[c + 1], changed[c + 2], changed[c + 3] = key, at, missed[key] or -1
  c = c + 3
end
if ok then return {out, calls, changed} end
return {out, calls, changed, problem}
