-- On the server inside this process a script is alone with its globals, and what Redis does not give is taken away.
if not real.REDIS_VERSION then
  local all = _G
  for name in string.gmatch([[load loadstring getfenv setfenv package require module newproxy dofile loadfile debug io
    os print _printregs collectgarbage _G redis server KEYS ARGV]], '%S+') do rawset(all, name, nil) end
end
