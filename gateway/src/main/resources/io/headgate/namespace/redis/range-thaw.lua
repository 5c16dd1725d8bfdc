-- KEYS: 1 root and 2 changes of the range
-- ARGV: epoch, where a part of it was to go
-- It stays whole, if it is not cut yet. Answers whether it is cut.
if redis.call('HGET', KEYS[1], 'to') ~= ARGV[2] then return '0' end
if redis.call('HGET', KEYS[1], 'cut') then return '1' end
local epoch = redis.call('HGET', KEYS[1], 'e')
local state = epoch and string.sub(epoch, 1, #ARGV[1]) == ARGV[1] and string.sub(epoch, #ARGV[1] + 1, #ARGV[1] + 1)
if state == '+' or state == '!' then
  redis.call('HSET', KEYS[1], 'e', ARGV[1])
  redis.call('HDEL', KEYS[1], 'to', 'at')
  redis.call('UNLINK', KEYS[2])
end
return '0'
