-- KEYS: the bucket, its ranges
-- ARGV: token of who closes it, whether it goes or opens again
-- Answers whether it was this token's.
local closing = redis.call('HGET', KEYS[1], 'closing')
if not closing or string.match(closing, '^(.*)@%d+$') ~= ARGV[1] then return '0' end
if ARGV[2] == '1' then redis.call('DEL', KEYS[1], KEYS[2]) else redis.call('HDEL', KEYS[1], 'closing') end
return '1'
