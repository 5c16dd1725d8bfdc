-- KEYS: 1 root, 2 records and 3 uploads of a range that is being filled
-- ARGV: how often it has been filled, how many groups, the groups, uploads
-- Answers whether it was.
local go, answer = next_fill(KEYS[1], ARGV[1])
if not go then return answer end
local groups = tonumber(ARGV[2])
local objects, bytes = 0, 0
for i = 3, 2 + groups do
  local group, at = ARGV[i], 1
  while at <= #group do
    local nul = find(group, '\0', at, true)
    bytes = bytes + size_of(sub(group, nul + 3, nul + 27))
    objects = objects + 1
    at = nul + 3 + byte(group, nul + 1) * 256 + byte(group, nul + 2)
  end
  call('ZADD', KEYS[2], 0, group)
end
for i = 3 + groups, #ARGV do call('ZADD', KEYS[3], 0, ARGV[i]) end
call('HINCRBY', KEYS[1], 'n', objects)
call('HINCRBY', KEYS[1], 'b', integer(bytes))
return '1'
