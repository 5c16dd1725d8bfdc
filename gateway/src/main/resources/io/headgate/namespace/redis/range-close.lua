-- KEYS: root of the range
-- ARGV: epoch, epoch from now on
-- An empty range gets another epoch, by which nobody knows it, or its old one back.
local epoch = redis.call('HGET', KEYS[1], 'e')
if epoch == ARGV[2] then return '1' end
if epoch ~= ARGV[1] then return 'm' end
if redis.call('HGET', KEYS[1], 'n') ~= '0' then return '0' end
redis.call('HSET', KEYS[1], 'e', ARGV[2])
return '1'
