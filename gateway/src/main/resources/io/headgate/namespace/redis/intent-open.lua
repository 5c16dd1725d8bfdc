-- KEYS: intents
-- ARGV: the intent
local id = redis.call('HINCRBY', KEYS[1], '#', 1)
redis.call('HSET', KEYS[1], id, ARGV[1])
return tostring(id)
