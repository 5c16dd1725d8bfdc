-- KEYS: notes of buckets
-- ARGV: the bucket's id, what is noted of it
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return '+'
