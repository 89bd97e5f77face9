-- The commands that look at all keys show only the keys that are alive. Scripts may not use these commands, because a
-- script may only touch the keys that it was given.
local function living(keys)
  local all = {}
  for _, key in ipairs(keys) do
    if now <= (dies[key] or fetch(key)) then all[#all + 1] = key end
  end
  return all
end
local some = known
local whole = {
  KEYS = function(...) return living(raw(...)) end,
  DBSIZE = function(...)
    raw(...) -- the server's own error for extra arguments
    return #living(raw('KEYS', '*'))
  end,
  SCAN = function(...)
    local answer = raw(...)
    answer[2] = living(answer[2])
    return answer
  end,
}
known = function(cmd) return whole[cmd] or some(cmd) end
