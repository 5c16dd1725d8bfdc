-- KEYS: documents; where this is remembered, for as long as it may be sent again
-- ARGV: field, what it must hold ('' for nothing), what it is to hold ('' for nothing)
if redis.call('EXISTS', KEYS[2]) == 1 then return '1' end
local now = redis.call('HGET', KEYS[1], ARGV[1]) or ''
if now ~= ARGV[2] then return '0' end
if ARGV[3] == '' then redis.call('HDEL', KEYS[1], ARGV[1]) else redis.call('HSET', KEYS[1], ARGV[1], ARGV[3]) end
redis.call('SET', KEYS[2], '1', 'EX', 300)
return '1'
