-- KEYS: root of a range that is to be filled
if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('HSET', KEYS[1], 'e', '-', 'n', 0, 'b', 0, 'f', 0) end
return '1'
