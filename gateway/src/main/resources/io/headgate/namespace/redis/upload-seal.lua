-- KEYS: the upload
-- ARGV: number of changes after which it was read, how it is to end
-- Answers 1 if it ends so, also if this was sent before; otherwise its state, or 0 if it has changed.
local state = redis.call('HGET', KEYS[1], 's')
if (state == 'c' or state == 'd') and redis.call('HGET', KEYS[1], 'c') == ARGV[2] then return '1' end
if state ~= 'o' then return state end
if redis.call('HGET', KEYS[1], 'v') ~= ARGV[1] then return '0' end
redis.call('HSET', KEYS[1], 's', 'c', 'c', ARGV[2])
return '1'
