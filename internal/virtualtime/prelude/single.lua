-- One call, whose reply is the body's own: for a library that sent the script, or the plain command, itself.
now_s = at
now = tonumber(at)
if draws then reseed(serial * 69621 + now) end
give(keys, args)

-- exact fails where a reply to a plain command holds an integer that Lua, which counts in doubles, may have rounded.
local function exact(answer)
  if type(answer) == 'number' and (answer >= 2^53 or answer <= -2^53) then
    refuse('VTINT virtual time cannot pass on the integer ' .. format('%.0f', answer) .. ' exactly')
  elseif type(answer) == 'table' then
    for _, item in pairs(answer) do exact(item) end
  end
end

local ok, answer = xpcall(function()
  local answer = reply(decide())
  if refusal then error(refusal, 0) end
  if bare then exact(answer) end
  if written() then readonly() end
  return answer
end, located)
for key in pairs(keep and look or {}) do
  if raw('PEXPIRETIME', key) == -1 then raw('PEXPIREAT', key, format('%.0f', keep)) end
end
if ok then return answer end
if not match(answer, '^%u+ ') then answer = 'ERR ' .. answer end
return {err = answer}
