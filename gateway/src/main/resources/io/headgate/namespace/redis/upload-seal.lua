-- KEYS: the upload
-- ARGV: number of changes after which it was read, how it is to end
local state = redis.call('HGET', KEYS[1], 's')
if state ~= 'o' then return state end
if redis.call('HGET', KEYS[1], 'v') ~= ARGV[1] then return '0' end
redis.call('HSET', KEYS[1], 's', 'c', 'c', ARGV[2])
return '1'
