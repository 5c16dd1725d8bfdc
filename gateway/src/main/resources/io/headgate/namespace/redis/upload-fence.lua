-- KEYS: the upload
-- Whoever read the upload before this does not seal it any more. Answers how it is to end, or has ended; nothing if it is open or gone.
local state = redis.call('HGET', KEYS[1], 's')
if state == 'o' then redis.call('HINCRBY', KEYS[1], 'v', 1) end
if state == 'c' or state == 'd' then return redis.call('HGET', KEYS[1], 'c') end
return nil
