-- Compiles each of ARGV without running it. Returns the number of the first that does not compile, and the reason.
for i = 1, #ARGV do
  local compiled, problem = loadstring(ARGV[i], '@user_script')
  if not compiled then return {i, problem} end
end
return {}
