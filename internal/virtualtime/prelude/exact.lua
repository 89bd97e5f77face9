-- exact fails if the reply to a plain command contains an integer that Lua may have rounded. Lua's numbers are doubles.
local function exact(answer)
  if type(answer) == 'number' and (answer >= 2^53 or answer <= -2^53) then
    refuse('VTINT virtual time cannot pass on the integer ' .. format('%.0f', answer) .. ' exactly')
  elseif type(answer) == 'table' then
    for _, item in pairs(answer) do exact(item) end
  end
end
-- told returns an error's text with a word in capitals at its beginning, as servers write errors.
local function told(problem) return match(problem, '^%u+ ') and problem or 'ERR ' .. problem end
-- protect sets a real deadline on keys without one, if the server is shared (keep).
local function protect()
  for key in pairs(keep and look or {}) do
    if raw('PEXPIRETIME', key) == -1 then raw('PEXPIREAT', key, format('%.0f', keep)) end
  end
end
