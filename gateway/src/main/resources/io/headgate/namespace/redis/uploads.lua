-- KEYS: 1 root and 2 uploads of the range
-- ARGV: epoch, from, to, how many
if redis.call('HGET', KEYS[1], 'e') ~= ARGV[1] then return { 'm' } end
return redis.call('ZRANGEBYLEX', KEYS[2], ARGV[2], ARGV[3], 'LIMIT', 0, ARGV[4])
