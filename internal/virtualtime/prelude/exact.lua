-- exact fails where a reply to a plain command holds an integer that Lua, which counts in doubles, may have rounded.
local function exact(answer)
  if type(answer) == 'number' and (answer >= 2^53 or answer <= -2^53) then
    refuse('VTINT virtual time cannot pass on the integer ' .. format('%.0f', answer) .. ' exactly')
  elseif type(answer) == 'table' then
    for _, item in pairs(answer) do exact(item) end
  end
end
-- told is the text of an error as a server begins it: with a word in capitals.
local function told(problem) return match(problem, '^%u+ ') and problem or 'ERR ' .. problem end
-- protect gives the keys that have no deadline of their own the one that a shared server wants.
local function protect()
  for key in pairs(keep and look or {}) do
    if raw('PEXPIRETIME', key) == -1 then raw('PEXPIREAT', key, format('%.0f', keep)) end
  end
end
