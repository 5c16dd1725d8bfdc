-- KEYS: 1 root, 2 records and 3 uploads of a range that was being filled
-- ARGV: the state in which it was seen
-- Takes it away, if it is in that state still.
if redis.call('HGET', KEYS[1], 'e') ~= ARGV[1] then return '0' end
redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3])
return '1'
