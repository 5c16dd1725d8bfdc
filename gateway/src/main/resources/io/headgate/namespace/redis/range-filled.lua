-- KEYS: root of a range that is being filled
-- ARGV: how often it has been filled
-- Nothing is added any more. Answers objects and bytes.
local epoch = redis.call('HGET', KEYS[1], 'e')
if epoch ~= 'p' and epoch ~= '-' or redis.call('HGET', KEYS[1], 'f') ~= ARGV[1] then return { 'm' } end
redis.call('HSET', KEYS[1], 'e', 'p')
return redis.call('HMGET', KEYS[1], 'n', 'b')
