-- Checks the answer of one arrival. Most answers are a number, or a few numbers in a table.
local kind = type(answer)
if kind == 'table' then
  local n = #answer
  for i = 1, n do
    if type(answer[i]) ~= 'number' then n = 0 break end
  end
  if n == 0 or metatables or answer.err ~= nil or answer.ok ~= nil then sound(answer, 0) end
elseif kind ~= 'number' and kind ~= 'nil' then sound(answer, 0) end
