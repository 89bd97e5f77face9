-- Runs one call, and returns the body's own reply to the client that sent the script or the plain command.
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
