-- KEYS: the bucket, its ranges
-- ARGV: not before this range, how many
-- Answers what the bucket is, how often its ranges have changed, and ranges; nothing if there is no such bucket.
local bucket = redis.call('HMGET', KEYS[1], 'id', 'owner', 'location', 'created', 'closing', 'v', 'hashed', 'settings')
if not bucket[1] then return {} end
for i = 2, 8 do bucket[i] = bucket[i] or '' end
local ranges = redis.call('ZRANGEBYLEX', KEYS[2], ARGV[1], '+', 'LIMIT', 0, ARGV[2])
for i = 1, #ranges do bucket[8 + i] = ranges[i] end
return bucket
