-- Runs plain commands. The clock never steps back between them. For each command, A has its time in µs, the number of
-- its words, and the words. There is a reply for each command, and the last reply is the first error.
local replies, n, p, count = {}, 0, 1, #A
local function one()
  local answer = reply(decide())
  if refusal then error(refusal, 0) end
  exact(answer)
  return answer
end
while p <= count do
  now_s = A[p]
  now = tonumber(now_s)
  local words = tonumber(A[p + 1])
  give({}, {unpack(A, p + 2, p + 1 + words)})
  p, n = p + 2 + words, n + 1
  local ok, answer = xpcall(one, located)
  if not ok then
    replies[n] = {err = told(answer)}
    break
  end
  replies[n] = answer == nil and false or answer
end
protect()
return replies
