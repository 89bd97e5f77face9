-- The names that the body sees, and the values that it returns. No value leads past the prelude, and no change stays
-- after the call. The free names of the body have been checked before: they are the parameters of make and the server's
-- functions.

-- lend copies one of the server's tables, for a body that uses the table as a value. On some servers the body could
-- write to the table itself. The entries of instead replace those of the table. kept has the lent contents, to find
-- changes.
local kept = {}
local function lend(t, instead)
  if type(t) ~= 'table' then return t end
  local copy, same = {}, {}
  for name, value in pairs(t) do copy[name], same[name] = value, value end
  if instead then
    for name, value in pairs(instead) do copy[name], same[name] = value, value end
  end
  kept[copy] = same
  return copy
end

-- library returns one of the server's libraries, or nil, because not every server has all of them.
local function library(f)
  local ok, t = pcall(f)
  return ok and t or nil
end

-- settings returns replacements for the functions of cjson that change it for every script on the server. It replaces
-- the named functions, and all others that are not listed as harmless.
local function settings(of, named, harmless)
  local refusing, safe = {}, {}
  local function put(name)
    refusing[name] = function()
      refuse('VTCMD virtual time does not know cjson.' .. name ..
        ', which may change the server for all its scripts')
    end
  end
  for name in gmatch(harmless, '%S+') do safe[name] = true end
  for name in gmatch(named, '%S+') do put(name) end
  for name in pairs(of or {}) do
    if not safe[name] then put(name) end
  end
  return refusing
end

-- written reports whether the body has changed a lent table.
local function written()
  for copy, same in pairs(kept) do
    local meta = getmetatable(copy)
    if meta ~= nil and meta ~= differing then return true end
    for name, value in pairs(copy) do
      if same[name] ~= value then return true end
    end
    for name in pairs(same) do
      if rawget(copy, name) == nil then return true end
    end
  end
  return false
end

local function readonly() refuse('ERR Attempt to modify a readonly table') end

shadow = lend(shadow)
if not any_key then setmetatable(shadow, differing) end

-- metatable is getmetatable for tables only. It refuses other values, because on some servers all scripts share the
-- metatable of strings.
local function metatable(of)
  if type(of) == 'table' then
    -- in miniredis's own Lua, the metatable of such a table is invalid
    if rawget(of, 'err') ~= nil or rawget(of, 'ok') ~= nil then return nil end
    local found = getmetatable(of)
    if found ~= differing then return found end
    return nil
  end
  refuse('VTCMD virtual time does not know the metatable of a ' .. type(of))
end

-- sound fails if answer is not a valid reply. Invalid are functions, tables with a metatable, tables that contain
-- themselves, and replies that are too deep or too large. Redis converts each of them to some reply, but other servers
-- convert them differently or crash. spent counts the values of this answer.
local deepest, largest = 32, 100000
local spent = 0
local function sound(answer, depth)
  if depth == 0 then spent = 0 end
  local kind = type(answer)
  if kind == 'string' then
    spent = spent + #answer / 100
  elseif kind == 'table' then
    if depth > deepest then
      refuse('VTREPLY the script returns tables more than ' .. deepest .. ' deep, or a table in itself')
    end
    local text = rawget(answer, 'err')
    if text == nil then text = rawget(answer, 'ok') end
    if text ~= nil then -- servers ignore the other fields
      if type(text) ~= 'string' then
        refuse('VTREPLY the script returns a table whose err or ok is a ' .. type(text))
      end
      return sound(text, depth)
    end
    if getmetatable(answer) ~= nil then refuse('VTREPLY the script returns a table with a metatable') end
    for _, value in pairs(answer) do sound(value, depth + 1) end
  elseif kind ~= 'number' and kind ~= 'boolean' and kind ~= 'nil' then
    refuse('VTREPLY the script returns a ' .. kind)
  end
  spent = spent + 1
  if spent > largest then refuse('VTREPLY the script returns more than ' .. largest .. ' values, or as much text') end
end

-- reply returns answer, or fails if it is not a valid reply.
local function reply(answer)
  sound(answer, 0)
  return answer
end
