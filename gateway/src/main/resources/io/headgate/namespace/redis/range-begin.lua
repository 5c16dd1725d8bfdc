-- KEYS: 1 root and 2 changes of the range
-- ARGV: epoch, where a part of it goes
-- Where an earlier part went must have been cleared. From now on writes note what they change. Answers objects and bytes.
local epoch = redis.call('HGET', KEYS[1], 'e')
local begun = epoch and string.sub(epoch, 1, #ARGV[1] + 1) == ARGV[1] .. '+' and redis.call('HGET', KEYS[1], 'to') == ARGV[2]
if not begun then
  if epoch ~= ARGV[1] or redis.call('HGET', KEYS[1], 'cut') == '1' then return { 'm' } end
  redis.call('HSET', KEYS[1], 'e', ARGV[1] .. '+0', 'to', ARGV[2])
  redis.call('HDEL', KEYS[1], 'cut', 'at', 'joined')
  redis.call('DEL', KEYS[2])
end
return redis.call('HMGET', KEYS[1], 'n', 'b')
