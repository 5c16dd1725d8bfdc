-- KEYS: 1 root, 2 records and 3 uploads of a range that is being filled
-- ARGV: how often it has been filled, then changes, each with what it is now
-- Answers whether it was.
local go, answer = next_fill(KEYS[1], ARGV[1])
if not go then return answer end
local objects, bytes = 0, 0
for i = 2, #ARGV, 2 do
  local member, now = sub(ARGV[i], 2), ARGV[i + 1]
  if sub(ARGV[i], 1, 1) == UPLOAD then
    if #now > 0 then call('ZADD', KEYS[3], 0, member) else call('ZREM', KEYS[3], member) end
  else
    local group = group_of(KEYS[2], member)
    local before_this = group and record_of(group, member)
    if before_this then
      objects = objects - 1
      bytes = bytes - size_of(before_this)
    end
    if #now > 0 then
      objects = objects + 1
      bytes = bytes + size_of(now)
      store(KEYS[2], group, member, now)
    elseif before_this then
      erase(KEYS[2], group, member)
    end
  end
end
call('HINCRBY', KEYS[1], 'n', objects)
call('HINCRBY', KEYS[1], 'b', integer(bytes))
return '1'
