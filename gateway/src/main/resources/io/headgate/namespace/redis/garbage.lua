-- KEYS: of the slot
-- ARGV: account, not before this member ('' to begin), before this time, how many
-- Answers members and sizes, oldest first.
local from = #ARGV[2] > 0 and '(' .. ARGV[2] or '[' .. ARGV[1]
local found = call('ZRANGEBYLEX', KEYS[3], from, '(' .. ARGV[1] .. ARGV[3], 'LIMIT', 0, ARGV[4])
local answer = {}
for i = 1, #found do
  answer[#answer + 1] = found[i]
  answer[#answer + 1] = integer(blob_size(blob_of(sub(found[i], 9))))
end
return answer
