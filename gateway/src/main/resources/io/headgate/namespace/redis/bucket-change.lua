-- KEYS: the bucket
-- ARGV: id of the bucket, its settings as they were read, and as they are to be ('' for none)
-- Answers whether they are so now; '0' if they are others by now, nothing if there is no such bucket.
if redis.call('HGET', KEYS[1], 'id') ~= ARGV[1] then return nil end
local now = redis.call('HGET', KEYS[1], 'settings') or ''
if now == ARGV[3] then return '1' end -- so they are too if this has been sent before
if now ~= ARGV[2] then return '0' end
if ARGV[3] == '' then redis.call('HDEL', KEYS[1], 'settings') else redis.call('HSET', KEYS[1], 'settings', ARGV[3]) end
return '1'
