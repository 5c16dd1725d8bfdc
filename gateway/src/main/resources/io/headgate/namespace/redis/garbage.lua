-- KEYS: of the slot; 9 and 10 of copies
-- ARGV: account, not before this member ('' to begin), before this time, how many
-- Answers members and sizes, oldest first.
local from = #ARGV[2] > 0 and '(' .. ARGV[2] or '[' .. ARGV[1]
local found = call('ZRANGEBYLEX', KEYS[3], from, '(' .. ARGV[1] .. ARGV[3], 'LIMIT', 0, ARGV[4])
local answer = {}
for i = 1, #found do
  answer[#answer + 1] = found[i]
  local id = sub(found[i], 9)
  local copy = call('HGET', KEYS[9], ARGV[1] .. id)
  answer[#answer + 1] = integer(copy_state(copy) == LEFT and copy_size(copy) or blob_size(blob_of(id)))
end
return answer
