-- KEYS: intents; where this is remembered, for as long as it may be sent again
-- ARGV: the intent
local before_this = redis.call('GET', KEYS[2])
if before_this then return before_this end
local id = redis.call('HINCRBY', KEYS[1], '#', 1)
redis.call('HSET', KEYS[1], id, ARGV[1])
redis.call('SET', KEYS[2], id, 'EX', 300)
return tostring(id)
