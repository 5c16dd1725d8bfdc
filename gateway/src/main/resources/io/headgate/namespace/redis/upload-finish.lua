-- KEYS: of the slot; 9 the upload, 10 its parts, 11 the completed uploads of the slot
-- ARGV: the slot, time, id of the upload, how many parts, then numbers of parts that the object does not have
-- Answers whether parts are left, then what is to be released elsewhere.
if call('HGET', KEYS[9], 's') ~= SEALED then return { '0' } end
local answer = { '0' }
for i = 5, #ARGV do
  local part = call('ZRANGEBYSCORE', KEYS[10], ARGV[i], ARGV[i])[1]
  if part then
    call('ZREM', KEYS[10], part)
    local told = let_go(part, tonumber(ARGV[1]), ARGV[2])
    if #told > 0 then answer[#answer + 1] = told end
  end
end
if #ARGV == 4 then
  call('ZREMRANGEBYRANK', KEYS[10], 0, ARGV[4] - 1)
  if call('EXISTS', KEYS[10]) == 1 then
    answer[1] = '1'
  else
    call('HSET', KEYS[9], 's', 'd')
    call('ZADD', KEYS[11], 0, ARGV[2] .. ARGV[3])
  end
end
return answer
