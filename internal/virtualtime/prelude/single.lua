-- One call, whose reply is the body's own: for a library that sent the script, or the plain command, itself.
now_s = at
now = tonumber(at)
if draws then reseed(serial * 69621 + now) end
give(keys, args)
local ok, answer = xpcall(function()
  local answer = reply(decide())
  if refusal then error(refusal, 0) end
  if bare then exact(answer) end
  if written() then readonly() end
  return answer
end, located)
protect()
if ok then return answer end
return {err = told(answer)}
