-- The table that the body sees as redis, and the form of the body's errors.

-- The handler of a command is cached under the spelling that the script uses. An unknown command is refused by name.
setmetatable(H, {__index = function(t, cmd)
  if type(cmd) ~= 'string' then refuse('VTCMD a command is named by a string, not by a ' .. type(cmd)) end
  local h = known(upper(cmd))
  if not h then refuse('VTCMD virtual time does not know the command "' .. cmd .. '"') end
  t[cmd] = h
  return h
end})

local function call(cmd, ...)
  calls = calls + 1
  local h = H[cmd]
  if h == one then -- shortcut for one, if there is nothing to do: this saves a fifth of a call's cost
    local key = ...
    local last = dies[key]
    if last and now <= last and checked[key] == turn then return raw(cmd, ...) end
  end
  return h(cmd, ...)
end

-- bind returns a call for one command whose name is written in the script.
local function bind(cmd)
  local h = known(upper(cmd))
  if h == one then
    return function(key, ...)
      calls = calls + 1
      local last = dies[key]
      if last and now <= last and checked[key] == turn then return raw(cmd, key, ...) end
      return one(cmd, key, ...)
    end
  end
  if not h then return function(...) return call(cmd, ...) end end
  return function(...)
    calls = calls + 1
    return h(cmd, ...)
  end
end

-- plain removes the place from the beginning of an error's text. One server adds a place that is inside the prelude and
-- has an empty file name.
local function plain(text) return match(text, '^[%w_<>]*:%d+:? (.*)$') or text end

-- differing refuses the fields of redis that differ between servers. A user's script is tried on another server before
-- the given one. So it must not be able to distinguish the two. For the same reason rawget is replaced by peek.
local differing = {}
function differing.__index(_, name)
  if type(name) == 'string' and (real[name] ~= nil or name == 'acl_check_cmd' or find(name, '^%u+_VERSION')
      or find(name, '^SERVER_')) then
    refuse('VTCMD virtual time does not know redis.' .. name .. ', which differs between servers')
  end
end

local shadow = {call = call}
for name, value in pairs(real) do -- constants, and functions that touch neither keys nor time
  if type(value) ~= 'function' and (any_key or find(name, '^LOG_') or find(name, '^REPL_')) then
    shadow[name] = value
  end
end
shadow.error_reply, shadow.status_reply, shadow.sha1hex = real.error_reply, real.status_reply, real.sha1hex
shadow.setresp = real.setresp
if any_key then shadow.acl_check_cmd = real.acl_check_cmd end
function shadow.pcall(...)
  local ok, reply = pcall(call, ...)
  if ok or type(reply) == 'table' then return reply end
  return {err = plain(tostring(reply))}
end
-- These functions do nothing: a batch would fill the server's log, and the wrapper decides what is replicated.
local function nothing() end
shadow.log, shadow.set_repl, shadow.breakpoint, shadow.debug = nothing, nothing, nothing, nothing
function shadow.replicate_commands() return true end

-- tick counts the turns of a script's loops and the calls of its functions. On a given server, nothing else ends a
-- script that loops forever after a write. most_ticks turns take about half a second.
local ticks, most_ticks = 0, 1e7
local function tick()
  ticks = ticks + 1
  if ticks > most_ticks then refuse('VTLOOP the script loops: it takes more than 10,000,000 turns') end
end

-- random: Park and Miller's minimal standard generator. Servers seed their generators differently, or not at all. Each
-- arrival has its own seed, and two steps make the seeds of neighbours differ widely.
local seed = 1
local function step() seed = seed * 16807 % 2147483647 end
local function reseed(x)
  seed = floor(x) % 2147483646 + 1
  step() step()
end
local function random(low, high)
  step()
  local r = (seed - 1) / 2147483646
  if not low then return r end
  if not high then
    high = low -- Note: not low, high = 1, low: in one server's Lua, high would get the new low
    low = 1
  end
  if low > high then error("bad argument to 'random' (interval is empty)", 2) end
  return floor(low) + floor(r * (floor(high) - floor(low) + 1))
end

-- line returns the line number in a place such as "user_script:3: ". It returns nil if there is no number, or if the
-- line is not in the author's file.
local function line(place)
  local number = match(place, '^[%w_<>]*:(%d+):')
  number = number and tonumber(number)
  return number and number <= last_line and number or nil
end

-- located returns an error's text, and adds the line in the author's file if the server has not added one. As the
-- handler of xpcall it can still see the stack. It calls no function that the script could have written.
local function located(problem)
  local text = problem
  if type(problem) == 'table' then text = rawget(problem, 'err') end
  if type(text) ~= 'string' and type(text) ~= 'number' then text = 'an error that is a ' .. type(problem) end
  text = sub(text, 1, 2000)
  if line(text) then return 'user_script:' .. line(text) .. ': ' .. plain(text) end
  text = plain(text)
  for level = 2, 20 do
    local _, where = pcall(error, '', level)
    if type(where) == 'string' and line(where) then return text .. ', on user_script:' .. line(where) end
  end
  return text
end
