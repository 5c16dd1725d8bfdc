-- KEYS: 1 root and 2 uploads of the range
-- ARGV: epoch, upload to be listed, or to be listed no more, which of both
if redis.call('HGET', KEYS[1], 'e') ~= ARGV[1] then return 'm' end
local changed = ARGV[3] == '1' and redis.call('ZADD', KEYS[2], 0, ARGV[2]) or redis.call('ZREM', KEYS[2], ARGV[2])
return tostring(changed)
