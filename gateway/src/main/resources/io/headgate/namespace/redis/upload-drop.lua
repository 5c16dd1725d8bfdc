-- KEYS: of the slot; 9 the upload and 10 its parts
-- ARGV: the slot, time, how many parts
-- Answers whether parts are left, then what is to be released elsewhere.
local parts = call('ZRANGE', KEYS[10], 0, ARGV[3] - 1)
local answer = { '0' }
for i = 1, #parts do
  local told = let_go(parts[i], tonumber(ARGV[1]), ARGV[2])
  if #told > 0 then answer[#answer + 1] = told end
  call('ZREM', KEYS[10], parts[i])
end
if call('EXISTS', KEYS[10]) == 1 then answer[1] = '1' else call('DEL', KEYS[9]) end
return answer
