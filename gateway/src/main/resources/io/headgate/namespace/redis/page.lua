-- KEYS: a set of groups
-- ARGV: key, how many groups
-- Answers the group that holds the key, or would, if there is one, then those that follow.
local answer = { group_of(KEYS[1], ARGV[1]) or nil }
local more = call('ZRANGEBYLEX', KEYS[1], '(' .. ARGV[1] .. '\1', '+', 'LIMIT', 0, ARGV[2])
for i = 1, #more do answer[#answer + 1] = more[i] end
return answer
