-- KEYS: 1 root and 2 changes of the range
-- ARGV: epoch, epoch from now on
-- An empty range gets another epoch, by which nobody knows it but who closes its bucket, or its old one back. A part that is on its way to
-- another range stays here.
local epoch = redis.call('HGET', KEYS[1], 'e')
if epoch == ARGV[2] then return '1' end
local copied = epoch and string.sub(epoch, 1, #ARGV[1] + 1) == ARGV[1] .. '+'
if epoch ~= ARGV[1] and not copied then return 'm' end
if redis.call('HGET', KEYS[1], 'n') ~= '0' then return '0' end
redis.call('HSET', KEYS[1], 'e', ARGV[2])
if copied then
  redis.call('HDEL', KEYS[1], 'to')
  redis.call('UNLINK', KEYS[2])
end
return '1'
