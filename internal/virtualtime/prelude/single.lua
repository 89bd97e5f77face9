-- One call, whose reply is the body's own: for a library that sent the script, or the plain command, itself.
now_s = at
now = tonumber(at)
if draws then reseed(serial * 69621 + now) end
redis, server = shadow, shadow

-- exact fails where a reply to a plain command holds an integer that Lua, which counts in doubles, may have rounded.
local function exact(reply)
  if type(reply) == 'number' and (reply >= 2^53 or reply <= -2^53) then
    refuse('VTINT virtual time cannot pass on the integer ' .. format('%.0f', reply) .. ' exactly')
  elseif type(reply) == 'table' then
    for _, item in pairs(reply) do exact(item) end
  end
end

local ok, answer = xpcall(function()
  local reply = ratelab_body()
  if refusal then error(refusal, 0) end
  if bare then exact(reply) end
  return reply
end, located)
if ok then return answer end
if not match(answer, '^%u+ ') then answer = 'ERR ' .. answer end
return {err = answer}
