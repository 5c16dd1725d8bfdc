-- KEYS: 1 root and 2 changes of the range
-- ARGV: epoch, where a part of it goes, the round that begins, or ! that nothing is written any more, time
-- Answers how many changes are noted.
local epoch = redis.call('HGET', KEYS[1], 'e')
if redis.call('HGET', KEYS[1], 'to') ~= ARGV[2] or not epoch or string.sub(epoch, 1, #ARGV[1] + 1) ~= ARGV[1] .. '+' then
  return epoch == ARGV[1] .. ARGV[3] and tostring(redis.call('ZCARD', KEYS[2])) or 'm'
end
if ARGV[3] == '!' then
  redis.call('HSET', KEYS[1], 'e', ARGV[1] .. '!', 'at', ARGV[4])
else
  redis.call('HSET', KEYS[1], 'e', ARGV[1] .. '+' .. ARGV[3])
end
return tostring(redis.call('ZCARD', KEYS[2]))
