-- KEYS: documents
-- ARGV: field, what it must hold ('' for nothing), what it is to hold ('' for nothing)
local now = redis.call('HGET', KEYS[1], ARGV[1]) or ''
if now ~= ARGV[2] then return '0' end
if ARGV[3] == '' then redis.call('HDEL', KEYS[1], ARGV[1]) else redis.call('HSET', KEYS[1], ARGV[1], ARGV[3]) end
return '1'
